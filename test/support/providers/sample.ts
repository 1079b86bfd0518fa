import type { Header } from '../../../src/providers/inbound-request.ts';

/** A webhook before it is signed. */
export interface Message {
  body: Uint8Array;
  /** Default: `application/json`. */
  contentType?: string;
  /** The time of signing. */
  at: Date;
  /** The complete URL that the provider posts to. */
  url: string;
}

/** A webhook as the provider would send it. */
export interface Signed {
  headers: Header[];
  body: Uint8Array;
  /** Set if signing changes the content type. */
  contentType?: string;
  /** The query that the provider adds to the URL, with its `?`. */
  query?: string;
}

/** The two parts of a key pair. For shared secrets both are the same text. */
export interface Key {
  /** The signing secret of the account. */
  secret: string;
  sign(message: Message): Signed | Promise<Signed>;
}

/**
 * Signs as a provider does, with its official library, or where that only verifies, by its documentation and checked
 * with the library. Samples use no code of the gateway. Tests, the benchmark and the demo send with them.
 */
export interface Sample {
  /** The name in the registry. */
  provider: string;
  /** The `provider_config` that an account needs. Tests of stale webhooks assume its default tolerance, five minutes. */
  config?: Record<string, unknown>;
  newKey(): Key;
  /** A typical body (about 1 KB) of an event with that id, and the type and id that must be read from it. */
  event(id: string): {
    body: string;
    contentType?: string;
    headers?: Header[];
    type: string | null;
    externalId: string;
  };
  /** The place of the signature: a header's name in lower case, the body or the query. */
  signature: { header: string } | 'body' | 'query';
  /** Whether each byte of the body is signed. */
  coversBody: boolean;
  /** Whether the time is signed, so that old webhooks are refused. */
  coversTime: boolean;
  /** Whether any bytes can be signed. False if the signature is a part of the body. */
  anyBody: boolean;
  /** A signed webhook with its signature replaced, or removed (null). */
  withSignature(signed: Signed, change: (signature: string) => string | null): Signed;
}

/** {@link Sample.newKey} for shared secrets. */
export const sharedSecret =
  (newSecret: () => string, sign: (message: Message, secret: string) => Signed | Promise<Signed>): Sample['newKey'] =>
  () => {
    const secret = newSecret();
    return { secret, sign: (message) => sign(message, secret) };
  };

/** {@link Sample.withSignature} for signatures that are a header's value after `prefix`. */
function inHeader(name: string, prefix = ''): Sample['withSignature'] {
  return (signed, change) => ({
    ...signed,
    headers: signed.headers.flatMap(([header, value]): Header[] => {
      if (header.toLowerCase() !== name) return [[header, value]];
      const signature = change(value.slice(prefix.length));
      return signature === null ? [] : [[header, prefix + signature]];
    }),
  });
}

/** For signatures that are a header's value after `prefix`. */
export const signedInHeader = (header: string, prefix = '') => ({
  signature: { header },
  withSignature: inHeader(header, prefix),
});
