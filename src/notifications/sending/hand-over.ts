import { databaseFailure } from '../../database/errors.ts';
import { untilWritten } from '../../database/until-written.ts';
import type { DestinationSettings } from '../../destinations/destination-config.ts';
import { openSettings, type SealedSettings } from '../../destinations/sealed-settings.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { Log } from '../../shared/log.ts';
import type { Notice, Said, SendNotice } from '../notice.ts';
import { nextWaitMs } from '../retries.ts';

export interface HandOverDeps {
  box: SecretBox;
  send: SendNotice;
  /** Between the tries of one message. */
  waitsMs: readonly number[];
  log: Log;
}

/** One try of a message, with where its outcome is written. */
export interface Try {
  /** For the log: ids alone. */
  ids: Record<string, string | number>;
  /** From 1. */
  attempt: number;
  settings: SealedSettings;
  /** What to say; null when there is nothing left to speak of. */
  notice(settings: DestinationSettings): Promise<Notice | null>;
  sent(): Promise<void>;
  failed(failure: { attempt: number; error: string; waitMs: number | null }): Promise<void>;
}

export type HandedOver =
  | { kind: 'sent' }
  | { kind: 'failed' }
  | { kind: 'again'; waitMs: number; retryAfterMs: number | null }
  | { kind: 'gone' };

/**
 * Makes one try and writes down how it ended. A config that does not open fails for good.
 *
 * @throws what the database throws when what there is to say cannot be read; then nothing was sent.
 */
export async function handOver(deps: HandOverDeps, one: Try, signal: AbortSignal): Promise<HandedOver> {
  const settings = openSettings(deps.box, one.settings);
  const notice = settings && (await one.notice(settings));
  if (settings && !notice) return { kind: 'gone' };
  const said = settings && notice ? await deps.send(settings, notice) : unreadable;
  logTry(deps.log, one, said);
  const write = (work: () => Promise<void>) =>
    untilWritten(work, {
      signal,
      // What the database says of a row may hold what is in it.
      onFailure: (error) =>
        deps.log.warn(
          { ...one.ids, failure: databaseFailure(error) },
          'the outcome of a notification could not be written yet',
        ),
    });
  if (said.ok) {
    await write(() => one.sent());
    return { kind: 'sent' };
  }
  const { retryAfterMs } = said;
  const waitMs = said.permanent ? null : nextWaitMs(deps.waitsMs, one.attempt, retryAfterMs);
  await write(() => one.failed({ attempt: one.attempt, error: storable(said.error), waitMs }));
  return waitMs === null ? { kind: 'failed' } : { kind: 'again', waitMs, retryAfterMs };
}

const unreadable: Said & { ok: false } = {
  ok: false,
  outcome: 'secret_unreadable',
  error: 'the config of the destination does not decrypt with SECRETS_KEY',
  ...{ responseCode: null, responseBody: null, retryAfterMs: null, permanent: true, durationMs: 0 },
};

/** PostgreSQL takes neither NUL nor half a character; a text that it refuses would be written again for ever. */
const storable = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed();

function logTry(log: Log, one: Try, said: Said): void {
  const { responseCode, durationMs } = said;
  const outcome = said.ok ? 'sent' : said.outcome;
  const { destination_type: destinationType } = one.settings;
  log.info({ ...one.ids, destinationType, attempt: one.attempt, outcome, responseCode, durationMs }, 'notification');
}
