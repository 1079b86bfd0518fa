/** The length of a day in UTC, which has no daylight saving time. */
export const dayMs = 86_400_000;

/**
 * A lower bound of all UUIDv7s of a time, for partitions and time filters. A UUIDv7 begins with 48 bits of Unix
 * milliseconds (RFC 9562, section 5.7). The bound has no version bits, so it is lower than every valid UUIDv7 of that
 * millisecond.
 */
export function uuidFloor(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}

/** A bound of ids as an id for answers: a bound by `uuidFloor` becomes the lowest valid UUIDv7 of its millisecond. */
export const boundAsId = (bound: string): string => bound.replace(/-0000-0000-0{12}$/, '-7000-8000-000000000000');

/** `2026-11-20`, in UTC. */
export function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The time in a UUIDv7, in milliseconds since 1970: of an event's id, when it was received. */
export function uuidMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
