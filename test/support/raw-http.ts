import { type OutgoingHttpHeaders, request } from 'node:http';
import { watchAnswer } from './leaks/watch.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields of answers
type Json = any;

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The text parsed as JSON; null if it is not JSON. */
  body: Json;
}

export interface RawRequest {
  method?: string;
  /** Sent unchanged, without normalisation or encoding. */
  path: string;
  /** An array alternates names and values, so that names may repeat. */
  headers?: OutgoingHttpHeaders | string[];
  /** Sent with a content-length. */
  body?: string | Uint8Array;
  /** The local address of the connection, such as 127.0.0.2. */
  localAddress?: string;
  /** Sent chunked, without a length. */
  chunks?: Iterable<Uint8Array>;
}

/** One HTTP request on a new connection, for requests that `fetch` would correct or refuse. */
export function rawRequest(baseUrl: string, options: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const { method = 'POST', path, headers: given = {}, body, chunks, localAddress } = options;
  // Node adds a content-length by itself only for methods that usually have a body.
  const headers =
    body === undefined || Array.isArray(given) ? given : { 'content-length': Buffer.byteLength(body), ...given };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: hostname.replace(/^\[(.*)\]$/, '$1'), port, method, path, headers, agent: false, localAddress },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        const finish = () => {
          const text = Buffer.concat(parts).toString('utf8');
          const about = { origin: new URL(baseUrl).origin, method, path, status: response.statusCode ?? 0 };
          watchAnswer(about, '', `${JSON.stringify(response.headers)}\n${text}`);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) });
          outgoing.destroy();
        };
        response.on('end', finish);
        // A stream of events does not end by itself.
        if (response.headers['content-type'] === 'text/event-stream') response.once('data', finish);
      },
    );
    outgoing.on('error', reject);
    for (const chunk of chunks ?? []) outgoing.write(chunk);
    outgoing.end(body);
  });
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
