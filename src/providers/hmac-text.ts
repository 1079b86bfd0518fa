import type { InboundRequest } from './inbound-request.ts';

/** The placeholders that `signed` may contain. */
export const placeholders: readonly string[] = ['{body}', '{timestamp}', '{id}', '{url}', '{path}'];

/** The pieces of `signed`, in their order: placeholders and the texts between them. Other words in braces are texts. */
export function piecesOf(signed: string): string[] {
  return signed.split(/(\{(?:body|timestamp|id|url|path)\})/).filter((piece) => piece !== '');
}

export function isText(piece: string): boolean {
  return !placeholders.includes(piece);
}

/** The bytes of a text in UTF-8, one character for each byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** What each piece stands for in a request, one character for each byte. The body is not copied. */
export function signedValues(
  pieces: readonly string[],
  request: InboundRequest,
  headers: { event_id_header?: string | undefined; timestamp_header?: string | undefined },
): (string | Uint8Array)[] {
  // Node decodes headers as latin1: one character for each byte.
  const header = (name: string | undefined) => (name === undefined ? '' : (request.header(name) ?? ''));
  return pieces.map((piece) => {
    switch (piece) {
      case '{body}':
        return request.body;
      case '{timestamp}':
        return header(headers.timestamp_header);
      case '{id}':
        return header(headers.event_id_header);
      case '{url}':
        return bytesOf(request.url());
      case '{path}':
        return bytesOf(request.url(''));
      default:
        return bytesOf(piece);
    }
  });
}
