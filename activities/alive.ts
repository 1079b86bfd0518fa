import { Context } from '@temporalio/activity';

/** At most a third of the heartbeat timeouts in workflows/, because heartbeats may get lost. */
const beatMs = 2_000;

/**
 * Runs `work` and sends heartbeats to Temporal, with the details of its progress.
 *
 * @param ending also aborts the signal of `work`; Temporal then retries the activity, on another worker. Null: only
 *   Temporal cancels it.
 */
export async function whileBeating<T>(
  ending: AbortSignal | null,
  work: (signal: AbortSignal, progress: (details: Record<string, number | string>) => void) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  let details: Record<string, number | string> | undefined;
  const beat = setInterval(() => context.heartbeat(details), beatMs);
  try {
    const { cancellationSignal } = context;
    return await work(ending ? AbortSignal.any([cancellationSignal, ending]) : cancellationSignal, (reached) => {
      details = reached;
    });
  } finally {
    clearInterval(beat);
  }
}
