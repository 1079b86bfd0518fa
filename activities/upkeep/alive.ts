import { Context } from '@temporalio/activity';

/** A third and less of the heartbeat timeout that workflows/upkeep.ts sets: several beats may get lost. */
const beatMs = 3_000;

/**
 * Does something while telling Temporal that it is alive, and how far it is.
 *
 * @param ending ends it besides: then it is asked for again, elsewhere.
 */
export async function whileBeating<T>(
  ending: AbortSignal,
  work: (signal: AbortSignal, progress: (details: Record<string, number | string>) => void) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  let details: Record<string, number | string> | undefined;
  const beat = setInterval(() => context.heartbeat(details), beatMs);
  try {
    return await work(AbortSignal.any([context.cancellationSignal, ending]), (reached) => {
      details = reached;
    });
  } finally {
    clearInterval(beat);
  }
}
