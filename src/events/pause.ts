import type { Sql } from '../database/sql.ts';

/** Deliveries are paused: webhooks are accepted, and nothing is sent. */
export interface Pause {
  since: Date;
  /** Why, in the operator's words; empty when nobody said. */
  reason: string;
}

/** Whom a pause and its end wake. */
export const pauseChannel = 'gateway_pause';

// The pause is a row, so that all processes see it at once and it outlasts each of them. Whatever delivers looks at it in
// the statement that reads or claims its work.
const key = 'delivery_paused';
const resumedKey = 'delivery_resumed';

/** True while deliveries are paused; for the statements of others, which evaluate it once. */
export const isPaused = `exists (select from gateway_settings where key = '${key}')`;
/** The row's value while deliveries are paused, for `toPause`. */
export const pauseValue = `(select value from gateway_settings where key = '${key}')`;
/** When deliveries were resumed last, for `toResumedAt`. */
export const resumedValue = `(select value from gateway_settings where key = '${resumedKey}')`;

const readPauseRow = { name: 'read_pause', text: `select value from gateway_settings where key = '${key}'` };

/** Null while deliveries go on. */
export async function readPause(sql: Sql): Promise<Pause | null> {
  const [row] = await sql.query<{ value: Buffer }>(readPauseRow, []);
  return toPause(row?.value ?? null);
}

/** By then everything that has waited for the end of a pause has looked again. */
export const aftermathMs = 60_000;

const readAftermath = {
  name: 'read_pause_aftermath',
  text: `select ${pauseValue} as pause, ${resumedValue} as resumed`,
};

/** Whether deliveries are paused, and whether what is late may be so because of a pause: there is one, or was one a moment ago. */
export async function readLateness(sql: Sql): Promise<{ paused: boolean; makesLate: boolean }> {
  const [row] = await sql.query<{ pause: Buffer | null; resumed: Buffer | null }>(readAftermath, []);
  const paused = toPause(row?.pause ?? null) !== null;
  const resumedAt = toResumedAt(row?.resumed ?? null);
  return { paused, makesLate: paused || (resumedAt !== null && Date.now() < resumedAt.getTime() + aftermathMs) };
}

/** What `pauseValue` has read. */
export function toPause(value: Buffer | null): Pause | null {
  if (value === null) return null;
  const { since, reason }: { since: string; reason: string } = JSON.parse(value.toString('utf8'));
  return { since: new Date(since), reason };
}

/** What `resumedValue` has read. */
export function toResumedAt(value: Buffer | null): Date | null {
  return value === null ? null : new Date(value.toString('utf8'));
}

// Of two that pause at once the second waits for the first, and keeps what that one wrote.
const keepPause = {
  name: 'pause_delivery',
  text: `
    insert into gateway_settings as s (key, value) values ('${key}', $1)
    on conflict (key) do update set value = s.value
    returning value, pg_notify('${pauseChannel}', '')`,
};

/**
 * Pauses all deliveries and notifications until `resumeDelivery`; whatever is in flight ends.
 *
 * @returns the pause that is in force: an earlier one stays as it was.
 */
export async function pauseDelivery(sql: Sql, reason: string): Promise<Pause> {
  const since = new Date();
  const [row] = await sql.query<{ value: Buffer }>(keepPause, [
    Buffer.from(JSON.stringify({ since: since.toISOString(), reason })),
  ]);
  return toPause(row?.value ?? null) ?? { since, reason };
}

const endPause = {
  name: 'resume_delivery',
  text: `
    with ended as (
      delete from gateway_settings where key = '${key}' returning key
    ), noted as (
      insert into gateway_settings (key, value) select '${resumedKey}', $1 from ended
      on conflict (key) do update set value = excluded.value
    )
    select pg_notify('${pauseChannel}', '') from ended`,
};

/** Lets deliveries go on. False when nothing was paused. */
export async function resumeDelivery(sql: Sql): Promise<boolean> {
  return (await sql.query(endPause, [Buffer.from(new Date().toISOString())])).length > 0;
}

const shortestLookMs = 1_000;
/** All that waits goes on within a minute of the resumption, also where asking takes a while. */
const longestLookMs = 50_000;
/** Those who began to wait together drift apart, so that they do not all come back together. */
const spread = 0.2;

/**
 * How long whoever was told of a pause waits before it looks again: about as long as the pause has lasted, so that a
 * short one costs little time and a long one few looks.
 */
export function lookAgainMs(pause: Pause, nowMs: number, random: () => number = Math.random): number {
  const lastedMs = nowMs - pause.since.getTime();
  const lookMs = Math.min(longestLookMs, Math.max(shortestLookMs, lastedMs));
  return Math.ceil(lookMs * (1 - spread * random()));
}
