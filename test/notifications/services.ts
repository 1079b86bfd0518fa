import { dashboardLinks } from '../../src/notifications/links.ts';
import type { Notice, Said, SendNotice } from '../../src/notifications/notice.ts';
import { DestinationSlots } from '../../src/notifications/sending/destination-slots.ts';
import type { HandOverDeps } from '../../src/notifications/sending/hand-over.ts';
import type { NotifierDeps } from '../../src/notifications/sending/notifier.ts';
import type { Keyring } from '../../src/secrets/keyring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { createLog } from '../../src/shared/log.ts';
import { unmeasured } from '../../src/telemetry/metrics/metrics.ts';
import type { NotificationStage } from './stage.ts';

export const taken: Said = { ok: true, responseCode: 200, responseBody: '', durationMs: 1, outboxFile: null };
export const refused = (more: Partial<Said & { ok: false }> = {}): Said => ({
  ...{ ok: false, outcome: 'http_error', error: 'answered 500', responseCode: 500, responseBody: '' },
  ...{ retryAfterMs: null, permanent: false, durationMs: 1, ...more },
});
/** A signal that is never aborted. */
export const never = new AbortController().signal;

/** A service that records the notices it gets. It returns `answers` in order, and then repeats the last one. */
export function service(...answers: (Said | (() => Promise<Said>))[]) {
  const notices: Notice[] = [];
  const send: SendNotice = async (_settings, notice) => {
    notices.push(notice);
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? taken;
    return typeof answer === 'function' ? answer() : answer;
  };
  return { notices, send };
}

/** The dependencies of a notifier on this stage, with retries without delay. */
export function notifierDeps(
  stage: NotificationStage,
  send: SendNotice,
  more: { waitsMs?: number[]; leaseS?: number; keyring?: Keyring; burstMs?: number | null } = {},
): NotifierDeps {
  const { waitsMs = [0, 0, 0, 0], leaseS = 60, keyring = stage.gateway.keyring, burstMs = null } = more;
  const common: HandOverDeps = {
    box: createSecretBox(keyring),
    send,
    waitsMs,
    metrics: unmeasured,
    log: createLog('silent'),
  };
  const links = dashboardLinks(() => 'https://gateway.test');
  return { ...common, sql: stage.database, links, leaseS, slots: new DestinationSlots(), burstMs };
}

/** Creates an exhausted event with one destination that is to be notified. */
export async function exhausted(stage: NotificationStage, fields: Record<string, unknown> = {}) {
  const account = await stage.account();
  const destinationId = await stage.destination(account, fields);
  const eventId = await stage.received(account);
  await stage.exhaust([eventId]);
  return { eventId, generation: 0, destinationId };
}
