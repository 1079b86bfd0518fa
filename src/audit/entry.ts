import { v7 as uuidv7 } from 'uuid';
import type { AuditAction } from '../http/admin/actions.ts';
import { storableText } from '../shared/text.ts';
import type { EntryContent } from './entry-content.ts';
import type { ChainPoint, Seals } from './seals.ts';

type JsonValue = string | number | boolean | null | undefined | JsonValue[] | { [key: string]: JsonValue };

/** A plain JSON object. It must not contain secrets or payloads: it is shown, exported and kept for a long time. */
export type AuditDetails = { [key: string]: JsonValue };

/** One action of an operator in the admin API. */
export interface AuditEntry {
  /** The token's name, else the IP address. */
  actor: string;
  action: AuditAction;
  ipAddress: string;
  /** Names the id of the object acted on. Only the purge writes `anchor`, in the details of `audit.purge`. */
  details: AuditDetails;
}

/** An entry ready to be stored. */
export interface NewEntry extends EntryContent {
  createdAt: Date;
  mac: Buffer;
}

/** Characters. Longer strings in details are cut: enough for any URL, and too short to fill the disk. */
const longestString = 2_000;
/**
 * Characters of a text that a caller may choose freely: more than any id or name has, and 400 bytes at most. An index
 * holds some ids, and PostgreSQL refuses a row whose value has more than 2,704 bytes there.
 */
const longestGiven = 100;

/**
 * Adds id, time and MAC to an entry, and sanitizes its texts for PostgreSQL.
 *
 * @param noted the latest head of the chain that this process knows.
 * @param order increases with each entry, so that entries of the same millisecond are sealed and listed in their order.
 */
export function newEntry(entry: AuditEntry, seals: Seals, noted: ChainPoint | null, order = 0): NewEntry {
  const createdAt = new Date();
  // With an explicit time. Otherwise the ids of a process never decrease, and would stay wrong after a clock is
  // corrected.
  const id = uuidv7({ msecs: createdAt.getTime(), seq: order >>> 0 });
  const content: EntryContent = {
    id,
    actor: storableText(entry.actor),
    action: entry.action,
    ip_address: storableText(entry.ipAddress),
    epoch: epochText(createdAt),
    details: detailsText(entry.details),
    noted_seq: noted && String(noted.seq),
    noted_seal: noted?.seal ?? null,
  };
  return { ...content, createdAt, mac: seals.entryMac(content) };
}

/** A time from 1970 on in the form of PostgreSQL's `extract(epoch from …)::text`. */
export function epochText(at: Date): string {
  const ms = at.getTime();
  return `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}000`;
}

// PostgreSQL stores the escapes of NUL and lone surrogates in JSON, but reading them with `->>` fails. JSON.stringify
// writes both as `\uXXXX`. The second alternative consumes other escapes, so that an escaped backslash is not matched
// in part.
const escapes = /\\(?:(u0000|ud[89a-f][0-9a-f]{2})|.)/g;

/** A replacer for `JSON.stringify` that cuts texts. */
const cutAt = (longest: number) => (_key: string, value: unknown) =>
  typeof value === 'string' && value.length > longest ? `${value.slice(0, longest)}…` : value;

/** Details of a path or a query as the caller has sent it, with its texts cut to 100 characters. */
export const shortened = (given: object): AuditDetails => JSON.parse(JSON.stringify(given, cutAt(longestGiven)));

function detailsText(details: AuditDetails): string {
  return JSON.stringify(details, cutAt(longestString)).replace(escapes, (found, unfit) => (unfit ? '\\ufffd' : found));
}
