/** The items in their order, in groups of at most this size. */
export function* groupsOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let n = 0; n < items.length; n += size) yield items.slice(n, n + size);
}
