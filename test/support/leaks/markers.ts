import { addressMarker, payloadMarker, secretMarker } from '../secrets.ts';

/** The kinds of markers. */
export type Kind = 'secret' | 'address' | 'payload';

/** No kind may be in a log, a history or an audit entry. */
export const allKinds: readonly Kind[] = ['secret', 'address', 'payload'];

/** A marker that was found where it must not be. */
export interface Leak {
  kind: Kind;
  /** Where it was found: `log`, `answer of GET /admin/accounts`, `audit_logs of test_1a2b`. */
  place: string;
  /** The text around the marker, on one line. */
  excerpt: string;
}

const markers: Record<Kind, string> = { secret: secretMarker, address: addressMarker, payload: payloadMarker };
/** Enough to recognise the source of a leak. */
const aroundCharacters = 80;

/**
 * All forms of a marker that are searched for: plain, in hex, and in base64 at each of the three offsets in a group of
 * three bytes. All forms are letters and digits, so base64url is covered too.
 */
export function formsOf(marker: string): string[] {
  const bytes = Buffer.from(marker);
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // Without the characters at both ends that depend on neighbouring bytes.
    return text.slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + bytes.length) * 8) / 6));
  });
  return [marker, bytes.toString('hex'), ...base64];
}

/** A pattern for all forms of a kind's marker, to be used without regard to letter case. */
export const patternOf = (kind: Kind) => formsOf(markers[kind]).join('|');

const patterns: Record<Kind, RegExp> = {
  secret: new RegExp(patternOf('secret'), 'i'),
  address: new RegExp(patternOf('address'), 'i'),
  payload: new RegExp(patternOf('payload'), 'i'),
};

/** Finds the markers of these kinds in a text, or in bytes of any encoding compatible with ASCII. */
export function leaksIn(place: string, content: string | Uint8Array, kinds: readonly Kind[]): Leak[] {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1');
  return kinds.flatMap((kind) => {
    const found = patterns[kind].exec(text);
    if (found === null) return [];
    const around = text.slice(Math.max(0, found.index - aroundCharacters), found.index + aroundCharacters);
    return [{ kind, place, excerpt: around.replaceAll(/[^ -~]+/g, '·') }];
  });
}

/** Limits a report, because a leak in every event would give thousands. */
const shownLeaks = 30;

/** A readable report of leaks and their places. */
export function reportOf(leaks: readonly Leak[]): string {
  const shown = leaks.slice(0, shownLeaks);
  const lines = shown.map(({ kind, place, excerpt }) => `a ${kind} of the tests stands in: ${place}\n    …${excerpt}…`);
  return [...lines, ...(shown.length < leaks.length ? [`and in ${leaks.length - shown.length} more places`] : [])].join(
    '\n',
  );
}
