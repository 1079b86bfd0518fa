/** A whole request that follows RFC 9112 as the gateway applies it (docs/limits.md). */
export interface WholeRequest {
  method: string;
  body: Buffer;
  /** The place after its last byte. */
  end: number;
}

export interface Reading {
  /** The requests before the first fault, in their order. */
  requests: WholeRequest[];
  /**
   * What comes after them: `nothing` that may be taken for a request; `head` that is not legal or not complete; `body` of
   * a legal head that is not legal or not complete.
   */
  after: 'nothing' | 'head' | 'body';
}

interface Head {
  method: string;
  /** The length of the body in bytes, or chunks. */
  framing: number | 'chunked';
  /** Whether no request may follow. */
  closes: boolean;
  /** The place of the body. */
  at: number;
}

const requestLine = /^([!#$%&'*+.^_`|~\w-]+) +[\x21\x22\x24-\x7e]+ +HTTP\/1\.([01])$/;
const headerLine = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*((?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)[ \t]*$/;
const chunkLine = /^([\da-f]+)(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;

/**
 * Reads the requests of one connection, strictly. It is written apart from the gateway and its parser, so that both can be
 * compared: what the gateway takes for a request must be one here.
 */
export function readRequests(bytes: Buffer): Reading {
  const text = bytes.toString('latin1');
  const requests: WholeRequest[] = [];
  for (let at = 0; ; ) {
    while (text[at] === '\r' || text[at] === '\n') at++;
    if (at === text.length) return { requests, after: 'nothing' };
    const head = headAt(text, at);
    if (head === null) return { requests, after: 'head' };
    const body = head.framing === 'chunked' ? chunksAt(text, head.at) : plainAt(text, head.at, head.framing);
    if (body === null) return { requests, after: 'body' };
    requests.push({ method: head.method, body: Buffer.from(body.content, 'latin1'), end: body.end });
    at = body.end;
    if (head.closes) return { requests, after: 'nothing' };
  }
}

/** The line that starts here, without its CRLF; null when there is none, or a CR or LF within it. */
function lineAt(text: string, at: number): string | null {
  const end = text.indexOf('\r\n', at);
  if (end < 0) return null;
  const line = text.slice(at, end);
  return /[\r\n]/.test(line) ? null : line;
}

function headAt(text: string, start: number): Head | null {
  const first = lineAt(text, start);
  const [, method, minor] = requestLine.exec(first ?? '') ?? [];
  if (first === null || method === undefined) return null;
  const fields = fieldsAt(text, start + first.length + 2);
  if (fields === null) return null;
  const values = (name: string) => fields.headers.filter(([other]) => other === name).map(([, value]) => value);
  const [lengths, codings, hosts] = [values('content-length'), values('transfer-encoding'), values('host')];
  const isOld = minor === '0';
  if (hosts.length > 1 || (hosts.length === 0 && !isOld) || !/^[^\s/?#@]*$/.test(hosts[0] ?? '')) return null;
  if (lengths.length > 1 || codings.length > 1 || (lengths.length > 0 && codings.length > 0)) return null;
  if (codings.length > 0 && (isOld || codings[0]?.toLowerCase() !== 'chunked')) return null;
  if (lengths.length > 0 && !/^\d+$/.test(lengths[0] ?? '')) return null;
  const options = values('connection').flatMap((value) => value.toLowerCase().split(/[ \t]*,[ \t]*/));
  return {
    method,
    framing: codings.length > 0 ? 'chunked' : Number(lengths[0] ?? 0),
    closes: values('upgrade').length > 0 || options.includes('close') || (isOld && !options.includes('keep-alive')),
    at: fields.end,
  };
}

/** The header or trailer fields that start here, with names in lower case, and the place after the empty line. */
function fieldsAt(text: string, start: number): { headers: [name: string, value: string][]; end: number } | null {
  const headers: [string, string][] = [];
  for (let at = start; ; ) {
    const line = lineAt(text, at);
    if (line === null) return null;
    at += line.length + 2;
    if (line === '') return { headers, end: at };
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    headers.push([name.toLowerCase(), value]);
  }
}

interface Body {
  content: string;
  end: number;
}

const plainAt = (text: string, at: number, length: number): Body | null =>
  at + length > text.length ? null : { content: text.slice(at, at + length), end: at + length };

function chunksAt(text: string, start: number): Body | null {
  const parts: string[] = [];
  for (let at = start; ; ) {
    const line = lineAt(text, at);
    const [, digits] = chunkLine.exec(line ?? '') ?? [];
    if (line === null || digits === undefined) return null;
    const size = Number.parseInt(digits, 16);
    at += line.length + 2;
    if (size === 0) {
      const trailers = fieldsAt(text, at);
      if (trailers === null) return null;
      if (trailers.headers.some(([name]) => name === 'content-length' || name === 'transfer-encoding')) return null;
      return { content: parts.join(''), end: trailers.end };
    }
    if (text.slice(at + size, at + size + 2) !== '\r\n') return null;
    parts.push(text.slice(at, at + size));
    at += size + 2;
  }
}
