/** Where a request goes. A legal request to it, with a body of any bytes, gets `status`. */
export interface Target {
  name: 'ingestion' | 'dashboard' | 'admin' | 'unknown';
  method: string;
  path: string;
  /** Header lines that a request needs here, each with its line break. */
  headers: string;
  status: number;
}

/** The four targets of a gateway: each is answered by another part of it. */
export function targetsOf(gateway: { slug: string; adminToken: string }): Target[] {
  return [
    { name: 'ingestion', method: 'POST', path: `/generic/${gateway.slug}`, headers: '', status: 202 },
    { name: 'dashboard', method: 'GET', path: '/dashboard/events', headers: '', status: 200 },
    {
      name: 'admin',
      method: 'GET',
      path: '/admin/providers',
      headers: `X-Admin-Token: ${gateway.adminToken}\r\n`,
      status: 200,
    },
    { name: 'unknown', method: 'POST', path: '/nothing/here/at-all', headers: '', status: 404 },
  ];
}

/** The parts of a request that a case changes. */
export interface Parts {
  method?: string;
  path?: string;
  version?: string;
  /** The header lines before all others, each with its line break. */
  host?: string;
}

/**
 * One request as text, a byte for each character (latin1).
 *
 * @param lines header lines without line breaks
 * @param body everything after the head
 */
export function message(target: Target, lines: readonly string[], body = '', parts: Parts = {}): string {
  const { method = target.method, path = target.path, version = 'HTTP/1.1', host = 'Host: gateway\r\n' } = parts;
  const head = [`${method} ${path} ${version}\r\n`, host, target.headers, ...lines.map((line) => `${line}\r\n`)];
  return `${head.join('')}\r\n${body}`;
}

export const chunked = 'Transfer-Encoding: chunked';
export const length = (body: string) => `Content-Length: ${body.length}`;
/** A body as one chunk. `after` stands behind the size, `trailers` before the last line break. */
export const chunks = (body: string, after = '', trailers = '') =>
  `${body.length.toString(16)}${after}\r\n${body}\r\n0\r\n${trailers}\r\n`;

/** A legal request with this body. */
export const simple = (target: Target, body: string) => message(target, [length(body)], body);
