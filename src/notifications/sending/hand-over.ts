import { databaseFailure } from '../../database/errors.ts';
import { untilWritten } from '../../database/until-written.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { Log } from '../../shared/log.ts';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';
import type { TracedSpan } from '../../telemetry/tracing/spans.ts';
import type { DestinationSettings } from '../destinations/destination-config.ts';
import { openSettings, type SealedSettings } from '../destinations/sealed-settings.ts';
import { type Notice, notSent, type Said, type SendNotice } from '../notice.ts';
import { type FailedTry, nextTry } from '../retries.ts';
import { describeSaid, inNotificationSpan } from './notification-span.ts';

export interface HandOverDeps {
  box: SecretBox;
  send: SendNotice;
  /** The waits between the tries of one message, in milliseconds. */
  waitsMs: readonly number[];
  metrics: Pick<Metrics, 'notificationTried'>;
  log: Log;
}

/** One try to send a message, and the functions that record its outcome. */
export interface Try {
  /** Ids for the log. */
  ids: Record<string, string | number>;
  /** From 1. */
  attempt: number;
  settings: SealedSettings;
  /** PostgreSQL's clock. */
  nowMs(): number;
  /** When the event failed, or the incident changed. */
  since: Date;
  /** Reads the `traceparent` of the event's webhook; absent for a message about several events. */
  traceparent?(): Promise<string | null>;
  /** Builds the message; null when its event no longer exists. */
  notice(settings: DestinationSettings): Promise<Notice | null>;
  sent(): Promise<void>;
  failed(failure: FailedTry): Promise<unknown>;
}

export type HandedOver =
  | { kind: 'sent' }
  | { kind: 'failed' }
  | { kind: 'again'; waitMs: number; retryAfterMs: number | null }
  | { kind: 'gone' };

/**
 * Makes one try and records its outcome. A config that cannot be decrypted fails permanently.
 *
 * @throws the database's error when the event cannot be read; in this case nothing was sent.
 */
export function handOver(deps: HandOverDeps, one: Try, signal: AbortSignal): Promise<HandedOver> {
  return inNotificationSpan(one, one.traceparent && (() => one.traceparent?.() ?? Promise.resolve(null)), (span) =>
    handOverIn(span, deps, one, signal),
  );
}

async function handOverIn(
  span: TracedSpan | null,
  deps: HandOverDeps,
  one: Try,
  signal: AbortSignal,
): Promise<HandedOver> {
  const settings = openSettings(deps.box, one.settings);
  const notice = settings && (await one.notice(settings));
  if (settings && !notice) return { kind: 'gone' };
  const said = settings && notice ? await deps.send(settings, notice, one.nowMs) : unreadable;
  if (span) describeSaid(span, said);
  logTry(deps.log, one, said);
  const write = (work: () => Promise<unknown>) =>
    untilWritten(work, {
      signal,
      // Only the kind of failure is logged, because a database error may contain the row's data.
      onFailure: (error) =>
        deps.log.warn(
          { ...one.ids, failure: databaseFailure(error) },
          'notification outcome not recorded yet, retrying',
        ),
    });
  const { destination_type: channel } = one.settings;
  if (said.ok) {
    deps.metrics.notificationTried(channel, 'sent');
    await write(() => one.sent());
    return { kind: 'sent' };
  }
  const { retryAfterMs } = said;
  const ageMs = one.nowMs() - one.since.getTime();
  const next = said.permanent ? null : nextTry(deps.waitsMs, { attempt: one.attempt, retryAfterMs, ageMs });
  const { waitMs, usesTry } = next ?? { waitMs: null, usesTry: true };
  deps.metrics.notificationTried(channel, waitMs === null ? 'failed' : 'retried');
  await write(() => one.failed({ attempt: one.attempt, error: storable(said.error), waitMs, usesTry }));
  return waitMs === null ? { kind: 'failed' } : { kind: 'again', waitMs, retryAfterMs };
}

const unreadable = notSent('secret_unreadable', 'the config of the destination does not decrypt with SECRETS_KEY', {
  permanent: true,
});

/** Replaces NUL and lone surrogates. PostgreSQL refuses them, and recording would be retried forever. */
const storable = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed();

function logTry(log: Log, one: Try, said: Said): void {
  const { responseCode, durationMs } = said;
  const outcome = said.ok ? 'sent' : said.outcome;
  const { destination_type: destinationType } = one.settings;
  log.info({ ...one.ids, destinationType, attempt: one.attempt, outcome, responseCode, durationMs }, 'notification');
}
