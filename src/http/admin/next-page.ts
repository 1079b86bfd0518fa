import { addressOf } from '../address.ts';

/**
 * The `Link` header of a list: the address of the next page, with the same filters. Undefined when the list has fewer
 * entries than its limit, because then there is no next page.
 *
 * @param path the list's path, without the query.
 */
export function nextPage(
  request: Request,
  path: string,
  entries: readonly { id: string }[],
  limit: number,
): string | undefined {
  const last = entries.at(-1);
  if (!last || entries.length < limit) return undefined;
  const next = addressOf(request).searchParams;
  next.set('before', last.id);
  next.delete('offset');
  return `<${path}?${next}>; rel="next"`;
}
