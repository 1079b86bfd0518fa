import { setCurrentDetails } from '@temporalio/workflow';
import { answerText, attemptName, attemptText, timeText, waitText } from './attempt-text.ts';
import type { Answer, AttemptResult, DeliverEventInput, DeliveryResult, RetryRequest, WaitReason } from './messages.ts';

/** As many lines of attempts are shown. A delivery has ten attempts, and as many as operators ask for. */
const mostLines = 20;

/** The details that the Web UI shows above a workflow's history: what it does now, and its attempts. Not in the history. */
export interface Details {
  /** A scheduled attempt begins. Returns the summary of its activity, as `retrying` does for one that an operator asked for. */
  attempting(number: number): string;
  retrying(retry: RetryRequest): string;
  /** A scheduled attempt was answered. */
  attempted(number: number, result: AttemptResult): void;
  /** An attempt that an operator asked for was answered. */
  retried(retry: RetryRequest, result: AttemptResult): void;
  /** The next attempt is due later. Returns the summary of the timer. */
  waits(number: number, untilMs: number): string;
  notifying(destinations: number): void;
  ended(outcome: DeliveryResult['outcome'], attempts: number): void;
}

const reasons: Record<WaitReason, string> = {
  paused: 'deliveries are paused',
  account_disabled: 'the account is disabled',
  slots: 'all slots of the account are in use',
  elsewhere: 'another process makes the attempt',
};

const endings: Record<DeliveryResult['outcome'], string> = {
  delivered: 'Delivered',
  exhausted: 'Exhausted: no attempt is left',
  acknowledged: 'Acknowledged by an operator',
  dead: 'Declared dead by an operator',
  account_deleted: 'Ended: the account or the consumer was deleted',
  account_disabled: 'Ended: the account is disabled',
  superseded: 'Ended: a replay has begun, or the delivery goes on without this workflow',
  already_settled: 'Ended: the delivery had ended without this workflow',
  event_gone: 'Ended: the event was deleted',
};

/** Where the event is due but may not be sent: the gateway starts another workflow afterwards. */
const queued = {
  paused: 'Waits in the queue until deliveries are resumed',
  account_disabled: 'Waits in the queue until its account is enabled',
  consumer_disabled: 'Waits in the queue until its consumer is enabled',
};

/** Shows the details of a delivery from its beginning. */
export function openDetails({ schedule: { delaysMs }, resume }: DeliverEventInput): Details {
  const lines: string[] = [];
  /** How many lines are not shown any more. */
  let left = 0;
  /** Shows what the delivery does now, and returns `summary`. */
  const show = (head: string, summary = head) => {
    const earlier = left > 0 ? [`${left} earlier`] : [];
    setCurrentDetails([`**${head}**`, '', ...[...earlier, ...lines].map((line) => `- ${line}`)].join('\n'));
    return summary;
  };
  const answered = (name: string, result: Answer) => {
    const answer = answerText(result);
    if (answer === null) return;
    if (lines.push(`${name}: ${answer} (${timeText(Date.now())})`) <= mostLines) return;
    lines.shift();
    left++;
  };
  let waitsFor: WaitReason | undefined;
  let waitsInQueue: keyof typeof queued | undefined;
  if (resume.lastAttempt) lines.push(`${attemptText(resume.lastAttempt, delaysMs)}, before this workflow`);
  return {
    attempting: (number) => show(attemptName(number, delaysMs)),
    retrying: (retry) => show(retryName(retry)),
    attempted(number, result) {
      waitsFor = result.kind === 'wait' ? result.reason : undefined;
      waitsInQueue = result.kind === 'stopped' ? result.waitsFor : undefined;
      answered(attemptName(number, delaysMs), result);
    },
    retried: (retry, result) => answered(retryName(retry), result),
    waits(number, untilMs) {
      const name = attemptName(number, delaysMs);
      const why = waitsFor ? `: ${reasons[waitsFor]}` : '';
      return show(
        `Waits for ${name} until ${timeText(untilMs)}${why}`,
        `${name} in ${waitText(untilMs - Date.now())}${why}`,
      );
    },
    notifying: (count) => show(`Notifies ${count} ${count === 1 ? 'destination' : 'destinations'}`),
    ended: (outcome, attempts) =>
      show(
        `${waitsInQueue ? queued[waitsInQueue] : endings[outcome]}, after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
      ),
  };
}

const retryName = ({ number }: RetryRequest) => `retry ${number} of an operator`;
