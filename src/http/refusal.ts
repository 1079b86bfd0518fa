import type { IncomingMessage } from 'node:http';
import { expectsContinue } from './bodies/body-reader.ts';
import { isHost, targetMistake } from './request-target.ts';

/** Why a request is refused before any route sees it. */
export interface Refusal {
  status: 400 | 417 | 501;
  /** One sentence for the client. */
  reason: string;
}

/**
 * Why a request is refused that Node's parser accepts; null when it is served. Servers and proxies read such a request
 * in different ways, or it asks for what the gateway does not do. No byte after it may be taken for another request.
 */
export function refusalOf(request: IncomingMessage): Refusal | null {
  const { httpVersion, headers } = request;
  const isOld = httpVersion === '1.0';
  if (httpVersion !== '1.1' && !isOld) return illegal('the version must be HTTP/1.1 or HTTP/1.0');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    // RFC 9112, section 6.1: the framing of such a message is faulty, because HTTP/1.0 does not know chunks.
    if (isOld) return illegal('HTTP/1.0 has no Transfer-Encoding');
    if (!/(?:^|,)[ \t]*chunked$/i.test(coding)) return illegal('the last Transfer-Encoding must be chunked');
    if (coding.length !== 'chunked'.length)
      return { status: 501, reason: 'no Transfer-Encoding but chunked is implemented' };
  }
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1 || (hosts === 0 && !isOld)) return illegal('a request must have one Host header');
  if (!isHost(headers.host ?? '')) return illegal('the Host header is not valid');
  const mistake = targetMistake(request);
  if (mistake !== null) return illegal(`the request target ${mistake}`);
  // An empty list expects nothing.
  if (headers.expect && !isOld && !expectsContinue(request))
    return { status: 417, reason: 'no expectation but 100-continue can be met' };
  return null;
}

const illegal = (reason: string): Refusal => ({ status: 400, reason });

/** Node keeps only the first of several. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}
