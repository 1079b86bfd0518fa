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

/** Within this time after a pause, every waiting delivery has checked again (`longestLookMs` plus a margin). */
export const aftermathMs = 60_000;

const readState = {
  name: 'read_pause',
  text: `select ${pauseValue} as pause, ${resumedValue} as resumed, clock_timestamp() as read_at`,
};

/** The pause in force, or null; when deliveries were last resumed, or null; and PostgreSQL's time when both were read. */
export interface PauseState {
  pause: Pause | null;
  resumedAt: Date | null;
  readAt: Date;
}

/** Reads the pause and what is known of the one before it. */
export async function readPauseState(sql: Sql): Promise<PauseState> {
  const [row] = await sql.query<{ pause: Buffer | null; resumed: Buffer | null; read_at: Date }>(readState, []);
  if (!row) throw new Error('read_pause returned no row');
  return { pause: toPause(row.pause), resumedAt: toResumedAt(row.resumed), readAt: row.read_at };
}

/** The pause in force; null if deliveries are not paused. */
export const readPause = async (sql: Sql): Promise<Pause | null> => (await readPauseState(sql)).pause;

/** Whether deliveries are paused, and whether a pause (now or within the last minute) may be why events are overdue. */
export async function readLateness(sql: Sql): Promise<{ paused: boolean; makesLate: boolean }> {
  const { pause, resumedAt, readAt } = await readPauseState(sql);
  const paused = pause !== null;
  return { paused, makesLate: paused || (resumedAt !== null && readAt.getTime() < resumedAt.getTime() + aftermathMs) };
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
      delete from gateway_settings where key = '${key}' returning key
    ), noted as (
      insert into gateway_settings (key, value) select '${resumedKey}', convert_to(${clock}, 'UTF8') from ended
      on conflict (key) do update set value = excluded.value
    )
    select pg_notify('${pauseChannel}', '') from ended`,
};

/** Resumes deliveries. Returns false if they were not paused. */
export async function resumeDelivery(sql: Sql): Promise<boolean> {
  return (await sql.query(endPause, [])).length > 0;
}

/**
 * From this length of a pause on, workflows do not wait for its end: ten thousand of them, each of which looks once a
 * minute, would occupy Temporal. They end, and the sweep starts others after the pause (transitions/swept.ts). Deliveries
 * of a shorter pause continue without a new workflow.
 */
const longPauseMs = 2 * 60_000;

/** Whether workflows no longer wait for the end of the pause, at this time of PostgreSQL's clock. */
export const endsWorkflows = (pause: Pause, nowMs: number) => nowMs - pause.since.getTime() >= longPauseMs;

/** An SQL condition that is true while deliveries have been paused for more than a minute. */
export const isPausedForAMinute = `exists (
  select from gateway_settings where key = '${key}'
    and (convert_from(value, 'UTF8')::jsonb ->> 'since')::timestamptz < now() - interval '1 minute'
)`;

const shortestLookMs = 1_000;
/** Deliveries continue within a minute after they are resumed. This leaves 10 s for the check itself. */
const longestLookMs = 50_000;
/** Jitter of up to 20 %, so that deliveries that began to wait together do not all check at the same time. */
const spread = 0.2;

/**
 * How long a delivery waits before it checks the pause again: about as long as the pause has lasted so far. So a short
 * pause causes a short delay, and a long pause causes few checks.
 */
export function lookAgainMs(pause: Pause, nowMs: number, random: () => number = Math.random): number {
  const lastedMs = nowMs - pause.since.getTime();
  const lookMs = Math.min(longestLookMs, Math.max(shortestLookMs, lastedMs));
  return Math.ceil(lookMs * (1 - spread * random()));
}
