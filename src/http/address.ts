import { nodeRequest } from './node-request.ts';

/** Where a request goes: path and query as they were sent. */
export interface Address {
  /** Percent-encoded, as sent. */
  pathname: string;
  searchParams: URLSearchParams;
}

/**
 * The path and query of a request. They come from the request line alone: a URL with the `Host` header may be invalid,
 * as with `a:99999`.
 */
export function addressOf(request: Request): Address {
  const target = nodeRequest(request).url ?? '/';
  const mark = target.indexOf('?');
  const pathname = mark < 0 ? target : target.slice(0, mark);
  return { pathname, searchParams: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)) };
}
