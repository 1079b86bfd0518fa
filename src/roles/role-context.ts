import type { Setting } from '../api/settings-routes.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../shared/log.ts';

/** What a server tells `npm start`, which has started it, when it is ready. */
export interface Ready {
  /** The port of an `api`. */
  port?: number;
  /** The pause of deliveries, as an `api` reads it, since a time in ISO 8601; null while there is none. */
  pause?: { since: string; reason: string } | null;
}

/** A line that a program of `npm start` writes on its own descriptor (src/roles/program.ts). */
export type Told =
  | { ready: Ready }
  /** Why it ends, as text for the terminal. */
  | { failed: string };

/** The input of a role. `stopped` is aborted when the process is asked to stop. */
export interface RoleContext {
  config: Config;
  /** The settings of this process as operators see them. */
  settings: Setting[];
  /** The variables of this process, for the programs that `npm start` starts. */
  environment: Record<string, string | undefined>;
  log: Log;
  stopped: AbortSignal;
  /** The command line arguments after the role. */
  arguments: string[];
  /** To be called by a server when it is ready. */
  ready(told: Ready): void;
}
