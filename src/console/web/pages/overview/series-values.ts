export const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/**
 * The number of pending events at the end of each point: from the present number back, by the changes in each point.
 * Null while the present number is unknown.
 */
export function pendingOver(
  points: readonly { pending_change: number }[],
  pendingNow: number | null,
): (number | null)[] {
  if (pendingNow === null) return points.map(() => null);
  let pending = pendingNow;
  return points
    .toReversed()
    .map(({ pending_change }) => {
      const atEnd = pending;
      pending -= pending_change;
      return Math.max(0, atEnd);
    })
    .reverse();
}
