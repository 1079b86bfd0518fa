import type { Destination } from './destination-types.ts';

/** The list with one destination a place further up or down, or null at the end of the list. */
export function moved(list: readonly Destination[], id: string, by: 1 | -1): Destination[] | null {
  const from = list.findIndex((one) => one.id === id);
  const neighbour = list[from + by];
  const item = list[from];
  if (!item || !neighbour) return null;
  return list.map((one) => (one === item ? neighbour : one === neighbour ? item : one));
}

/**
 * The positions to store for an order. New destinations all have the position 0, so all are numbered; those that have
 * theirs already, and those that were deleted since, are left out.
 */
export function positionsOf(
  ordered: readonly Destination[],
  stored: readonly Destination[],
): { id: string; position: number }[] {
  const before = new Map(stored.map(({ id, position }) => [id, position]));
  return ordered.flatMap(({ id }, position) =>
    before.has(id) && before.get(id) !== position ? [{ id, position }] : [],
  );
}
