import type { Sql } from '../database/sql.ts';

/** A pause of deliveries: webhooks are accepted and stored, but nothing is sent. */
export interface Pause {
  since: Date;
  /** The operator's reason; empty if none was given. */
  reason: string;
}

/** The notification channel (LISTEN/NOTIFY) that announces a pause and its end. */
export const pauseChannel = 'gateway_pause';

// The pause is a row, so that all processes see it at once and a restart does not end it. Deliveries check it in the
// same statement that reads or claims their work.
const key = 'delivery_paused';
const resumedKey = 'delivery_resumed';

/** An SQL condition that is true while deliveries are paused. A statement evaluates it once, not for each row. */
export const isPaused = `exists (select from gateway_settings where key = '${key}')`;
/** An SQL expression: the pause in force or null, for `toPause`. */
export const pauseValue = `(select value from gateway_settings where key = '${key}')`;
/** An SQL expression: when deliveries were last resumed, for `toResumedAt`. */
export const resumedValue = `(select value from gateway_settings where key = '${resumedKey}')`;

const readInForce = { name: 'read_pause', text: `select ${pauseValue} as pause` };

/** The pause in force; null if deliveries are not paused. */
export async function readPause(sql: Sql): Promise<Pause | null> {
  const [row] = await sql.query<{ pause: Buffer | null }>(readInForce, []);
  return toPause(row?.pause ?? null);
}

/** Parses the value of `pauseValue`. */
export function toPause(value: Buffer): Pause;
export function toPause(value: Buffer | null): Pause | null;
export function toPause(value: Buffer | null): Pause | null {
  if (value === null) return null;
  const { since, reason }: { since: string; reason: string } = JSON.parse(value.toString('utf8'));
  return { since: new Date(since), reason };
}

/** Parses the value of `resumedValue`. */
export function toResumedAt(value: Buffer | null): Date | null {
  return value === null ? null : new Date(value.toString('utf8'));
}

/** PostgreSQL's time in the form of JavaScript's `toISOString`, as all that is compared with it. */
const clock = `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

// If two calls pause at the same time, the second waits for the first and keeps the first one's row.
const keepPause = {
  name: 'pause_delivery',
  text: `
    insert into gateway_settings as s (key, value)
    values ('${key}', convert_to(json_build_object('since', ${clock}, 'reason', $1::text)::text, 'UTF8'))
    on conflict (key) do update set value = s.value
    returning value, pg_notify('${pauseChannel}', '')`,
};

/**
 * Pauses all deliveries and notifications until `resumeDelivery`. Attempts in flight are completed.
 *
 * @returns the pause in force: an earlier pause keeps its time and reason.
 */
export async function pauseDelivery(sql: Sql, reason: string): Promise<Pause> {
  const [row] = await sql.query<{ value: Buffer }>(keepPause, [reason]);
  if (!row) throw new Error('pause_delivery returned no row');
  return toPause(row.value);
}

const endPause = {
  name: 'resume_delivery',
  text: `
    with ended as (
      delete from gateway_settings where key = '${key}' returning value
    ), noted as (
      insert into gateway_settings (key, value) select '${resumedKey}', convert_to(${clock}, 'UTF8') from ended
      on conflict (key) do update set value = excluded.value
    )
    select value, pg_notify('${pauseChannel}', '') from ended`,
};

/** Resumes deliveries. Returns the pause that this has ended; null if they were not paused. */
export async function resumeDelivery(sql: Sql): Promise<Pause | null> {
  const [row] = await sql.query<{ value: Buffer }>(endPause, []);
  return row ? toPause(row.value) : null;
}

const shortestLookMs = 1_000;
/** Notifications continue within a minute after deliveries are resumed. This leaves 10 s for the check itself. */
const longestLookMs = 50_000;
/** Jitter of up to 20 %, so that those that began to wait together do not all check at the same time. */
const spread = 0.2;

/**
 * How long a notification or an operator's retry waits before it checks the pause again: about as long as the pause has
 * lasted so far. So a short pause causes a short delay, and a long pause causes few checks.
 */
export function lookAgainMs(pause: Pick<Pause, 'since'>, nowMs: number, random: () => number = Math.random): number {
  const lastedMs = nowMs - pause.since.getTime();
  const lookMs = Math.min(longestLookMs, Math.max(shortestLookMs, lastedMs));
  return Math.ceil(lookMs * (1 - spread * random()));
}
