import { nodeRequest } from './node-request.ts';

/** Where a request goes: path and query as they were sent. */
export interface Address {
  /** Percent-encoded, as sent. */
  pathname: string;
  searchParams: URLSearchParams;
}

/**
 * The path and query of a request. They come from the request line alone: the `Host` header may hold any text, so a URL
 * built with it may be invalid.
 */
export function addressOf(request: Request): Address {
  const target = nodeRequest(request).url ?? '/';
  // A request sent through a proxy has the absolute URL in its request line (RFC 9112, section 3.2.2).
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = rest.indexOf('?');
  const pathname = mark < 0 ? rest : rest.slice(0, mark);
  return { pathname: pathname || '/', searchParams: new URLSearchParams(mark < 0 ? '' : rest.slice(mark + 1)) };
}
