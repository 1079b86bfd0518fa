import { Context } from '@temporalio/activity';

/** A third and less of the heartbeat timeouts that workflows/ sets: beats may get lost. */
const beatMs = 3_000;

/**
 * Does something while telling Temporal that it is alive, and how far it is.
 *
 * @param ending ends it besides: then it is asked for again, elsewhere. Null: only Temporal does.
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
