import { addressOf } from '../address.ts';

/**
 * The `Link` of a full list to the entries behind its last one, with the same filters; undefined when there can be none.
 *
 * @param path where the list is, without the query.
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
