import type { Config } from '../config.ts';
import type { Log } from '../shared/log.ts';

/** The input of a role. `stopped` is aborted when the process is asked to stop. */
export interface RoleContext {
  config: Config;
  log: Log;
  stopped: AbortSignal;
  /** The command line arguments after the role. */
  arguments: string[];
}
