import type { AdminApiClient } from '../api/client.ts';
import type { Environment } from './environment.ts';
import type { Output } from './output/output.ts';
import type { Prompts } from './prompts.ts';

/** Address of the gateway, without a slash at its end, and token. */
export interface Connection {
  baseUrl: string;
  token: string;
}

/** What a command gets. Nothing else of the process is used, so that tests run commands without one. */
export interface Cli {
  /**
   * The typed client of the admin API; `answered` reads its answers.
   *
   * @throws CliError without address or token
   */
  admin(): AdminApiClient;
  /**
   * For calls without the typed client, such as streams.
   *
   * @throws CliError without address or token
   */
  connection(): Connection;
  out: Output;
  prompts: Prompts;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  env: Environment;
  /** Aborted by Ctrl-C. Requests of `admin()` end with it. */
  signal: AbortSignal;
}

/** Options that each command has. */
export interface GlobalOptions {
  url?: string;
  token?: string;
  profile?: string;
  json?: boolean;
  yes?: boolean;
}
