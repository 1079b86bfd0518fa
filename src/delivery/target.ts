import { LRUCache } from 'lru-cache';
import { decoded } from '../shared/text.ts';

export type Target =
  | {
      ok: true;
      /** Scheme, host and port. Requests with the same origin share connections. */
      origin: string;
      /** Path and query, at least `/`. */
      path: string;
      /** Host and port, for error texts. */
      peer: string;
      /** The user and password of the URL as a value of `authorization`. */
      authorization: string | null;
    }
  | { ok: false; error: string };

/** The Basic authentication (RFC 7617) for credentials in a URL, the only place where operators can enter them. */
function basicAuthorization({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`, 'utf8').toString('base64')}`;
}

/** Parses a delivery URL. `error` never repeats the URL, which may contain credentials in its user, path or query. */
export const parseTarget = (text: string): Target => targets.memo(text);

/** Parsed URLs that are remembered: parsing takes as long as signing. */
const keptTargets = 1_000;
const targets = new LRUCache<string, Target>({ max: keptTargets, memoMethod: parse });

function parse(text: string): Target {
  const url = URL.parse(text);
  if (!url) return { ok: false, error: 'the URL is not a valid absolute URL' };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, error: `the URL must begin with http: or https:, not ${url.protocol}` };
  }
  return {
    ok: true,
    origin: url.origin,
    path: url.pathname + url.search,
    peer: `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`,
    authorization: basicAuthorization(url),
  };
}
