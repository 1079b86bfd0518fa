import type { Setting } from '../api/settings-routes.ts';
import type { Config } from '../config.ts';
import type { Log } from '../shared/log.ts';

/** The input of a role. `stopped` is aborted when the process is asked to stop. */
export interface RoleContext {
  config: Config;
  /** The settings of this process as operators see them. */
  settings: Setting[];
  log: Log;
  stopped: AbortSignal;
  /** The command line arguments after the role. */
  arguments: string[];
}
