import { homedir } from 'node:os';
import { join } from 'node:path';

/** The variables that the command line reads; the others are passed on to `${env:NAME}` of a plan. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. No other code of the command line reads it. */
export const processEnvironment = (): Environment => process.env;

/** The file of the profiles, in the folder of the XDG Base Directory Specification. */
export const profilesFile = (env: Environment): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'webhook-gateway', 'profiles.json');

/** The folder of what commands remember, in that of the XDG Base Directory Specification. */
export const stateFolder = (env: Environment): string =>
  join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'webhook-gateway');
