import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Log } from '../log.ts';

/** Bundles the workflow code for the sandbox that it runs in. Takes some seconds of one core. */
export async function bundleWorkflows(log: Log): Promise<{ code: string }> {
  const silent = () => undefined;
  return await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: {
      log: silent,
      trace: silent,
      debug: silent,
      info: silent,
      warn: (message) => log.warn(message),
      error: (message) => log.error(message),
    },
  });
}
