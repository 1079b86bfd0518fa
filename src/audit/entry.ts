import { v7 as uuidv7 } from 'uuid';
import type { AuditAction } from '../http/admin/actions.ts';
import { storableText } from '../shared/text.ts';
import type { EntryContent } from './entry-content.ts';
import type { ChainPoint, Seals } from './seals.ts';

type JsonValue = string | number | boolean | null | undefined | JsonValue[] | { [key: string]: JsonValue };

/** A plain JSON object. It must hold no secrets and no payloads: it is shown, exported and kept for long. */
export type AuditDetails = { [key: string]: JsonValue };

/** What somebody did through the admin API. */
export interface AuditEntry {
  /** The token's name, else the IP address. */
  actor: string;
  action: AuditAction;
  ipAddress: string;
  /** Names the id of what was acted on. `anchor` in the details of `audit.purge` is written by the purge alone. */
  details: AuditDetails;
}

/** An entry ready to be stored. */
export interface NewEntry extends EntryContent {
  createdAt: Date;
  mac: Buffer;
}

/** Strings in details are cut here: long enough for any URL, short enough that nobody fills the disk with them. */
const longestString = 2_000;

/**
 * Gives an entry its id, time and MAC, and makes its texts such that PostgreSQL takes them.
 *
 * @param noted the latest head of the chain that is known here.
 * @param order rises among entries of the same millisecond, so that they are sealed and listed in their order.
 */
export function newEntry(entry: AuditEntry, seals: Seals, noted: ChainPoint | null, order = 0): NewEntry {
  const createdAt = new Date();
  // The time is given: without it, ids of a process never go back, and so would keep a clock's mistake after it is mended.
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

/** As PostgreSQL writes `extract(epoch from …)::text`, for a time from 1970 on. */
export function epochText(at: Date): string {
  const ms = at.getTime();
  return `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}000`;
}

// PostgreSQL would store the escapes of a NUL and of half a character, but fail on whoever reads them with `->>`.
// JSON.stringify writes both as `\uXXXX`; the other alternatives keep an escaped backslash from being half of one.
const escapes = /\\(?:(u0000|ud[89a-f][0-9a-f]{2})|.)/g;

function detailsText(details: AuditDetails): string {
  const cut = (_key: string, value: unknown) =>
    typeof value === 'string' && value.length > longestString ? `${value.slice(0, longestString)}…` : value;
  return JSON.stringify(details, cut).replace(escapes, (found, unfit) => (unfit ? '\\ufffd' : found));
}
