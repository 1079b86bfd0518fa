import { installRuntime } from '../../src/engine/runtime.ts';
import { createLog } from '../../src/log.ts';

/** The log of everything that a test file starts in its own process. */
export const log = createLog(process.env.TEST_LOG_LEVEL ?? 'fatal');
let installed = false;

/**
 * Sets up the native part of the Temporal SDK as the gateway does. A process does that once, and a worker of the test run
 * is one process for many files.
 */
export function installTestRuntime(): void {
  if (!installed) installRuntime(log);
  installed = true;
}
