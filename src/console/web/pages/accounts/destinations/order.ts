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
 * theirs already are left out.
 */
export const positionsOf = (ordered: readonly Destination[]): { id: string; position: number }[] =>
  ordered.flatMap(({ id, position }, index) => (position === index ? [] : [{ id, position: index }]));
