import type { Config } from '../config.ts';
import type { Log } from '../shared/log.ts';

/** What a role gets; `stopped` is aborted when the process is asked to end. */
export interface RoleContext {
  config: Config;
  log: Log;
  stopped: AbortSignal;
  /** What the command line says behind the role. */
  arguments: string[];
}
