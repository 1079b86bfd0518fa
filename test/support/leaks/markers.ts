import { addressMarker, payloadMarker, secretMarker } from '../secrets.ts';

/** What must not be found. */
export type Kind = 'secret' | 'address' | 'payload';

/** All of them: none belongs into a log, a history or an audit entry. */
export const allKinds: readonly Kind[] = ['secret', 'address', 'payload'];

/** A marker that was found where it must not be. */
export interface Leak {
  kind: Kind;
  /** What was written: `log`, `answer of GET /admin/accounts`, `audit_logs of test_1a2b`. */
  place: string;
  /** What stands around the marker, on one line. */
  excerpt: string;
}

const markers: Record<Kind, string> = { secret: secretMarker, address: addressMarker, payload: payloadMarker };
/** Enough to tell where it came from. */
const aroundCharacters = 80;

/**
 * All forms in which the marker is looked for: as it is, in hex, and in base64 at each of the three places where it can
 * begin in a group of three bytes. All of them are letters and digits, so base64url is covered too.
 */
export function formsOf(marker: string): string[] {
  const bytes = Buffer.from(marker);
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // Without the characters at both ends that its neighbours have a share in.
    return text.slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + bytes.length) * 8) / 6));
  });
  return [marker, bytes.toString('hex'), ...base64];
}

/** Matches any form of the marker, in capital letters or not. */
export const patternOf = (kind: Kind) => formsOf(markers[kind]).join('|');

const patterns: Record<Kind, RegExp> = {
  secret: new RegExp(patternOf('secret'), 'i'),
  address: new RegExp(patternOf('address'), 'i'),
  payload: new RegExp(patternOf('payload'), 'i'),
};

/** Looks for the markers of these kinds in a text, or in bytes of any encoding that keeps ASCII. */
export function leaksIn(place: string, content: string | Uint8Array, kinds: readonly Kind[]): Leak[] {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1');
  return kinds.flatMap((kind) => {
    const found = patterns[kind].exec(text);
    if (found === null) return [];
    const around = text.slice(Math.max(0, found.index - aroundCharacters), found.index + aroundCharacters);
    return [{ kind, place, excerpt: around.replaceAll(/[^ -~]+/g, '·') }];
  });
}

/** A leak in every event would make thousands. */
const shownLeaks = 30;

/** For people who look for the place. */
export function reportOf(leaks: readonly Leak[]): string {
  const shown = leaks.slice(0, shownLeaks);
  const lines = shown.map(({ kind, place, excerpt }) => `a ${kind} of the tests stands in: ${place}\n    …${excerpt}…`);
  return [...lines, ...(shown.length < leaks.length ? [`and in ${leaks.length - shown.length} more places`] : [])].join(
    '\n',
  );
}
