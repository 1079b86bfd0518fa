import { InvalidArgumentError } from 'commander';
import ms from 'ms';

const duration = /^\d+(\.\d+)?(s|m|h|d|w)$/;

/** An option's value that is a whole number from 1 on. */
export function wholeNumber(given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new InvalidArgumentError('It must be a whole number, from 1 on.');
  return Number(given);
}

/** Collects the values of an option that may be repeated. */
export const repeated = (value: string, before: string[] = []): string[] => [...before, value];

/** A time in ISO 8601, in ms; null for other texts, of which `Date.parse` takes some: for 48, a day in 2048. */
function isoTimeMs(given: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** A time of an option: ISO 8601, or how long ago, such as `1h` or `30m`. As ISO 8601. */
export function timeAgo(given: string): string {
  const at = duration.test(given) ? Date.now() - ms(given as ms.StringValue) : isoTimeMs(given);
  if (at !== null) return new Date(at).toISOString();
  throw new InvalidArgumentError('It must be a time such as 2026-11-20T10:00:00Z, or how long ago, such as 1h.');
}

/** A time to come of an option: ISO 8601, or in how long, such as `30d`. */
export function timeAhead(given: string): Date {
  const at = duration.test(given) ? Date.now() + ms(given as ms.StringValue) : isoTimeMs(given);
  if (at !== null) return new Date(at);
  throw new InvalidArgumentError('It must be a time such as 2026-11-20T10:00:00Z, or in how long, such as 30d.');
}
