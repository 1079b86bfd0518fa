import { log, patched, type SignalDefinition, setHandler } from '@temporalio/workflow';
import { isAck, isFail, isReplay, isRetry } from './message-checks.ts';
import {
  ackSignal,
  failSignal,
  type ReplayRequest,
  type RetryRequest,
  replaySignal,
  retrySignal,
  type StopReason,
} from './messages.ts';

/** The operators' signals that the workflow has received but not handled yet. */
export interface Inbox {
  stop: StopReason | null;
  /** The replay with the highest generation. */
  replay: ReplayRequest | null;
  /** In the order of arrival. */
  retries: RetryRequest[];
  /** Whether a signal waits to be handled. */
  hasNews(): boolean;
}

/** Opens the inbox of one generation, with the retries from the workflow's input. */
export function openInbox(generation: number, retries: RetryRequest[]): Inbox {
  const inbox: Inbox = {
    stop: null,
    replay: null,
    retries: [...retries],
    hasNews: () => inbox.stop !== null || inbox.replay !== null || inbox.retries.length > 0,
  };
  // An ack or a fail of an earlier generation does not apply, because a replay has ended that generation.
  receive(ackSignal, 'An operator has acknowledged the event: no further attempt.', isAck, (ack) => {
    if (ack.generation === generation) inbox.stop ??= 'acknowledged';
  });
  receive(
    failSignal,
    'An operator has declared the event failed, or dead: then no further attempt.',
    isFail,
    (fail) => {
      if (fail.generation !== generation) return;
      if (fail.accountDeleted) inbox.stop = 'account_deleted';
      else if (fail.dead) inbox.stop = 'dead';
    },
  );
  receive(retrySignal, 'An operator asks for one more attempt, now.', isRetry, (retry) => {
    // The dispatcher signals again when it does not know whether the first signal arrived.
    const known = inbox.retries.some((r) => r.generation === retry.generation && r.number === retry.number);
    if (!known) inbox.retries.push(retry);
  });
  receive(replaySignal, 'An operator asks for all attempts again.', isReplay, (replay) => {
    if (replay.generation > (inbox.replay?.generation ?? generation)) inbox.replay = replay;
  });
  return inbox;
}

/**
 * Handles a signal. One with another content than the gateway sends is logged and ignored: an error in the handler would
 * fail the workflow's task for ever.
 */
function receive<T>(
  signal: SignalDefinition<[T]>,
  description: string,
  isValid: (content: unknown) => boolean,
  handle: (content: T) => void,
): void {
  const handleIfValid = (content: T) => {
    if (isValid(content)) handle(content);
    else if (patched('checked-messages')) log.warn('signal ignored, its content is not valid', { signal: signal.name });
    // A history from before the patch, in which such a signal took effect.
    else handle(content);
  };
  setHandler(signal, handleIfValid, {
    description: `${description} Send it by the admin API: by hand it changes no row.`,
  });
}
