import { valid } from 'semver';
import { runCommand } from './run-command.ts';

/**
 * The version that is downloaded or built: the newest that Go can build as a dependency, because later ones have `replace`
 * directives. Its server is 1.29.1. It is also the oldest `temporal` on PATH that is used, because an older server cannot
 * open a database file of this version.
 */
export const temporalVersion = '1.5.1';

/** The options that the gateway starts the server with. */
const neededFlags = ['--sqlite-pragma', '--dynamic-config-value', '--search-attribute', '--ui-port'];

export type Inspection = { runs: true; version: string } | { runs: false; reason: string };

/**
 * Runs a program to check that it is Temporal's command line for this machine, and that its development server supports
 * the options that the gateway uses. Returns its version.
 */
export async function inspectTemporal(program: string, limitMs: number): Promise<Inspection> {
  // In the same empty environment in which the server runs.
  const ask = (...args: string[]) => runCommand(program, args, { limitMs, env: {} });
  const answer = await ask('--version');
  if (!answer.ok) return { runs: false, reason: `does not run: ${shortened(answer.reason)}` };
  // Example: temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)
  const version = valid(/^temporal version (\S+)/m.exec(answer.output)?.[1]);
  if (version === null) return { runs: false, reason: `reports no version, but: ${shortened(answer.output.trim())}` };
  const help = await ask('server', 'start-dev', '--help');
  const missing = neededFlags.filter((flag) => !help.ok || !help.output.includes(flag));
  if (missing.length > 0) return { runs: false, reason: `version ${version} has no server with ${missing.join(', ')}` };
  return { runs: true, version };
}

/** Shortens the output to one line, because a wrong program may print anything. */
function shortened(text: string): string {
  const line = text.replaceAll(/[^\x20-\x7e]+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 100)} …` : line || 'nothing';
}
