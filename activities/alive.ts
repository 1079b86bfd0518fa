import { Context } from '@temporalio/activity';

/** At most a third of the heartbeat timeouts in workflows/, because heartbeats may get lost. */
const beatMs = 2_000;

/** Reports how far an activity is. */
export type Progress = (details: Record<string, number | string>) => void;

/** Runs `work` and sends heartbeats to Temporal, with the details of its progress. */
export async function whileBeating<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const context = Context.current();
  let details: Record<string, number | string> | undefined;
  const beat = setInterval(() => context.heartbeat(details), beatMs);
  try {
    return await work((reached) => {
      details = reached;
    });
  } finally {
    clearInterval(beat);
  }
}
