import { z } from 'zod';

/**
 * The variable in which `npm start` tells the `api` and the `worker` that it starts what their other variables do not
 * say. Nobody else sets it.
 */
export const startedByVariable = 'WEBHOOK_GATEWAY_STARTED_BY';

const startedBy = z.object({
  /** The data folder of `npm start`. */
  dataDir: z.string(),
  /** Whether it has a Temporal of its own: settings for others, also those in the user's home, then do not apply. */
  ownTemporal: z.boolean(),
  /** The variables that it has made, such as its key. */
  generated: z.array(z.string()),
  /** The variables that it has read from the .env file. */
  fromFile: z.array(z.string()),
});

export type StartedBy = z.infer<typeof startedBy>;

/** What `npm start` has told this program; null when it was not started by it. */
export function readStartedBy(env: Record<string, string | undefined>): StartedBy | null {
  const text = env[startedByVariable];
  return text ? startedBy.parse(JSON.parse(text)) : null;
}
