import { ApplicationFailureCategory } from '@temporalio/common';
import {
  ApplicationFailure,
  condition,
  deprecatePatch,
  log,
  makeContinueAsNewFunc,
  patched,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import { attempt } from './activities.ts';
import { openAnnouncements } from './announcements.ts';
import { openDetails } from './details.ts';
import { tellEnd } from './ended.ts';
import { openInbox } from './inbox.ts';
import { InvalidDataError, unknownKind } from './invalid-data.ts';
import { isDeliverEventInput } from './message-checks.ts';
import {
  type DeliverEventInput,
  type DeliveryResult,
  type DeliveryState,
  exhaustedFailure,
  stateQuery,
} from './messages.ts';
import { openShow } from './show.ts';

/**
 * Delivers one event: ten scheduled attempts, and manual ones on request. The workflow decides when to attempt; the
 * activity makes each attempt, records it, and returns the new state (docs/concepts.md, docs/delivery.md).
 *
 * A delivery lasts for hours, longer than the workers of a build. So it follows the current build, as a worker's default
 * is (src/temporal/queue-workers.ts), and a change of it needs a patch (docs/changing-a-workflow.md).
 *
 * @throws InvalidDataError, which fails the run: the sweep then starts another one from the event's row. A failure of the
 *   type `DeliveryExhausted` after the last attempt and its notifications, so that the Web UI shows the delivery as failed.
 */
export async function deliverEvent(input: DeliverEventInput): Promise<DeliveryResult> {
  if (!isDeliverEventInput(input) && patched('checked-messages'))
    throw new InvalidDataError('the input of this workflow is not valid');
  const { eventId, generation, schedule } = input;
  const show = openShow(input);
  const details = openDetails(input);
  const inbox = openInbox(generation, input.retries ?? []);
  const announcements = openAnnouncements(eventId, input.notifications ?? []);
  let attempts = input.resume.attempts;
  /** How the delivery ended; null before. Afterwards, only operators' retries are left to do. */
  let settledAs: DeliveryResult['outcome'] | null = input.resume.settled ? 'already_settled' : null;
  /** Whether the workflow of an exhausted delivery ends as failed. */
  let fails = false;
  /** The row's status, if it was settled without this run. */
  let rowStatus = input.resume.settled ? input.resume.deliveryStatus : undefined;
  let phase: DeliveryState['phase'] = 'waiting';
  let dueAtMs = input.resume.nextAttemptAt === null ? Date.now() : Date.parse(input.resume.nextAttemptAt);
  setHandler(
    stateQuery,
    () => ({
      eventId,
      generation,
      phase,
      attempts,
      nextAttemptAt: phase === 'waiting' ? new Date(dueAtMs).toISOString() : null,
      retries: inbox.retries.length,
      notifications: announcements.open.length,
    }),
    { description: 'What this workflow does at the moment.' },
  );
  const end = (outcome: DeliveryResult['outcome']): DeliveryResult => {
    phase = 'ended';
    const deliveryStatus = outcome === 'already_settled' ? rowStatus : undefined;
    show.ended(outcome, attempts, deliveryStatus);
    details.ended(outcome, attempts);
    tellEnd({ eventId, generation, outcome });
    const result = { outcome, ...(deliveryStatus && { deliveryStatus }), generation, attempts };
    if (outcome === 'exhausted' && fails) throw exhausted(result);
    return result;
  };
  /** The requests that the next run of this workflow has to take over. */
  const unserved = () => ({ retries: inbox.retries, notifications: [...announcements.open] });
  /**
   * Waits until all notifications are settled, or until an operator's request arrives. The loop then checks both again.
   */
  const untilToldOr = async (interrupted: () => boolean) => {
    phase = 'notifying';
    details.notifying(announcements.open.length);
    await condition(() => announcements.open.length === 0 || inbox.replay !== null || interrupted());
    phase = 'waiting';
  };

  for (;;) {
    if (inbox.replay) {
      show.replayed(inbox.replay.resume.attempts);
      return continueWith({ ...input, ...inbox.replay, ...unserved() });
    }
    if (inbox.stop === 'dead' || inbox.stop === 'account_deleted') {
      if (announcements.open.length === 0) return end(inbox.stop);
      await untilToldOr(() => false);
      continue;
    }
    if (workflowInfo().continueAsNewSuggested) {
      const endedAs = settledAs ?? inbox.stop;
      // The next run takes its status from the attributes.
      if (endedAs && show.status) show.ended(endedAs, attempts, rowStatus);
      const resume = {
        attempts,
        nextAttemptAt: new Date(dueAtMs).toISOString(),
        settled: endedAs !== null,
        ...(show.status && { deliveryStatus: show.status }),
      };
      return continueWith({ ...input, resume, ...unserved() });
    }

    const [retry] = inbox.retries;
    if (retry) {
      phase = 'attempting';
      const asked = { eventId, ...retry, trigger: 'manual', schedule } as const;
      const result = await attempt(asked, details.retrying(retry));
      phase = 'waiting';
      details.retried(retry, result);
      if (result.kind === 'wait') {
        // An ack ends the schedule, but not an operator's retry.
        await condition(
          () => inbox.stop === 'dead' || inbox.stop === 'account_deleted' || inbox.replay !== null,
          result.waitMs,
        );
        continue;
      }
      inbox.retries.shift();
      if (result.kind === 'delivered') settledAs = 'delivered';
      continue;
    }

    const over = settledAs ?? inbox.stop;
    if (over) {
      if (announcements.open.length === 0) return end(over);
      const stopped = inbox.stop;
      await untilToldOr(() => inbox.retries.length > 0 || inbox.stop !== stopped);
      continue;
    }

    const waitMs = dueAtMs - Date.now();
    if (waitMs > 0) {
      const hasNews = await condition(inbox.hasNews, waitMs, { summary: details.waits(attempts + 1, dueAtMs) });
      // The timer decides, not the clock: while a query is answered that waited until the timer had fired, the clock
      // still has the time of the last task, and this would wait once more.
      if (!hasNews) dueAtMs = Math.min(dueAtMs, Date.now());
      continue;
    }

    phase = 'attempting';
    const number = attempts + 1;
    const asked = { eventId, generation, trigger: 'schedule', number, schedule } as const;
    const result = await attempt(asked, details.attempting(number));
    phase = 'waiting';
    details.attempted(number, result);
    switch (result.kind) {
      case 'delivered':
        attempts++;
        settledAs = 'delivered';
        break;
      case 'failed':
        attempts++;
        dueAtMs = Date.now() + result.waitMs;
        show.failed(attempts);
        // After the last attempt, only `exhausted` is expected. If the database disagrees, further requests would never
        // end. So this workflow ends, and the sweep starts the one that the event's row asks for. A workflow that
        // starts after the end of its schedule still makes the one attempt that settles the event.
        if (attempts > schedule.delaysMs.length) {
          deprecatePatch('schedule-ends');
          log.warn('the schedule has ended, but the event is not settled', { eventId, generation, attempts });
          settledAs = 'already_settled';
        }
        break;
      case 'wait':
        dueAtMs = Date.now() + result.waitMs;
        break;
      case 'exhausted':
        if (result.attempted) attempts++;
        settledAs = 'exhausted';
        fails = result.endsAs === 'failed';
        announcements.exhausted({ generation, attempts }, result.notifications ?? []);
        // The workflow may run for some time until the notifications are sent, so the search attributes are updated
        // now.
        if (announcements.open.length > 0) show.ended('exhausted', attempts);
        break;
      case 'stopped':
        settledAs = result.reason;
        rowStatus = result.deliveryStatus;
        break;
      default:
        throw unknownKind('the result of an attempt', result);
    }
  }
}

setWorkflowOptions({ failureExceptionTypes: [InvalidDataError] }, deliverEvent);

/** Not an error of the worker, so neither its log nor its metrics count it as one. */
const exhausted = (result: DeliveryResult) =>
  ApplicationFailure.create({
    type: exhaustedFailure,
    message: `The delivery is exhausted after ${result.attempts} attempts`,
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
    details: [result],
  });

const continueWith = (input: DeliverEventInput) => makeContinueAsNewFunc<typeof deliverEvent>()(input);
