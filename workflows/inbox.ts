import { setHandler } from '@temporalio/workflow';
import {
  ackSignal,
  failSignal,
  type ReplayRequest,
  type RetryRequest,
  replaySignal,
  retrySignal,
  type StopReason,
} from './messages.ts';

/** What operators said while the workflow was busy or asleep. */
export interface Inbox {
  stop: StopReason | null;
  /** The newest generation that was asked for. */
  replay: ReplayRequest | null;
  /** In the order in which they came. */
  retries: RetryRequest[];
  /** Whether anything waits to be looked at. */
  hasNews(): boolean;
}

/** Opens the inbox of one generation; what came with the start of the workflow is in it at once. */
export function openInbox(generation: number, retries: RetryRequest[]): Inbox {
  const inbox: Inbox = {
    stop: null,
    replay: null,
    retries: [...retries],
    hasNews: () => inbox.stop !== null || inbox.replay !== null || inbox.retries.length > 0,
  };
  // Said of an earlier generation, which a replay has ended since, an ack or a fail concerns this one no more.
  setHandler(ackSignal, (ack) => {
    if (ack.generation === generation) inbox.stop ??= 'acknowledged';
  });
  setHandler(failSignal, (fail) => {
    if (fail.generation !== generation) return;
    if (fail.accountDeleted) inbox.stop = 'account_deleted';
    else if (fail.dead) inbox.stop = 'dead';
  });
  setHandler(retrySignal, (retry) => {
    // The relay signals again when it does not know whether it did.
    const known = inbox.retries.some((r) => r.generation === retry.generation && r.number === retry.number);
    if (!known) inbox.retries.push(retry);
  });
  setHandler(replaySignal, (replay) => {
    if (replay.generation > (inbox.replay?.generation ?? generation)) inbox.replay = replay;
  });
  return inbox;
}
