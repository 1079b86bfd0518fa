import fc from 'fast-check';
import type { Place, Reading } from './readings.ts';

export interface Scheme {
  header: string;
  event_id_header: string;
  timestamp_header?: string;
  timestamp_unit: 'seconds' | 'milliseconds';
  signed: string;
}

const placeholders = ['{body}', '{timestamp}', '{id}', '{path}', '{url}'];
/** Texts between values: some that values may contain, and some that they may not. */
const texts = ['.', '..', '-', '|', ' ', '\n', '#', '"', '{', '}', ': ', '1', 'a', 'é', 'http', '/'];

/** Texts in which a time marks the end or the beginning of another value. */
const aroundTimes = [
  '{id}.{timestamp}.{body}',
  '{path}.{timestamp}..{body}',
  '{body}.{timestamp}.{id}',
  '{id}{timestamp}.{body}',
];
const mixtures = fc
  .record({
    pieces: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...placeholders) },
        { weight: 2, arbitrary: fc.constantFrom(...texts) },
      ),
      { maxLength: 6 },
    ),
    at: fc.nat(6),
  })
  .map(({ pieces, at }) => pieces.toSpliced(at, 0, '{body}').join(''));

/** The `provider_config` of a sender: any mixture of placeholders and texts with a body. */
export const schemes: fc.Arbitrary<Scheme> = fc
  .record({
    signed: fc.oneof({ weight: 6, arbitrary: mixtures }, { weight: 1, arbitrary: fc.constantFrom(...aroundTimes) }),
    timestamp_unit: fc.constantFrom('seconds' as const, 'milliseconds' as const),
  })
  .map(({ signed, timestamp_unit }) => {
    const time = signed.includes('{timestamp}') ? { timestamp_header: 'X-Time' } : {};
    return { header: 'X-Signature', event_id_header: 'X-Id', signed, timestamp_unit, ...time };
  })
  // Texts between braces can become a placeholder that does not exist.
  .filter(({ signed }) => (signed.match(/\{[a-z_]+\}/g) ?? []).every((name) => placeholders.includes(name)));

/**
 * Requests whose values contain the texts of schemes, times, paths and parts of them, so that many of their signed texts
 * can be read in several ways.
 *
 * @param times such as the time of the request in the unit of the scheme
 */
export function requests(place: Place, times: readonly string[]): fc.Arbitrary<Reading> {
  const withTimes = times.flatMap((time) => [time, `.${time}.`]);
  const all = [...texts, '?', 'Z', '7', ...withTimes, place.path, place.origin + place.path];
  const value = (possible: RegExp, maxLength: number) =>
    fc
      .array(fc.constantFrom(...all.filter((part) => possible.test(part))), { maxLength })
      .map((parts) => Buffer.from(parts.join('')).toString('latin1'));
  const query = value(/^[\x21-\x22\x24-\x7e]+$/, 4);
  return fc.record({
    id: value(/^[\x21-\xff]+$/, 4),
    time: fc.constantFrom(...times),
    target: fc.oneof(
      fc.constant(place.path),
      query.map((text) => `${place.path}?${text}`),
    ),
    body: value(/^/, 6),
  });
}
