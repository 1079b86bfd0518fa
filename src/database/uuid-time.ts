/** A day of UTC has no other length. */
export const dayMs = 86_400_000;

/**
 * The lowest UUIDv7 that a moment can have (RFC 9562, section 5.7: 48 bits of Unix milliseconds lead). A bound for
 * partitions and for time filters; not itself a valid UUIDv7, which is what makes it lower than each of them.
 */
export function uuidFloor(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}

/** `2026-11-20`, in UTC. */
export function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
