import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { createCli } from './run-command.ts';

const page = new URL('../../docs/cli.md', import.meta.url);
/** What tests have recorded: a file for each command, `events-list.txt`, with its calls and what they print. */
const recorded = new URL('../../test/cli/recorded/', import.meta.url);
/** What is above it is written by hand. */
const heading = '## All commands\n';

/** The commands that do something, with their whole names. */
export function commandsOf(command: Command, path = ''): [name: string, command: Command][] {
  const inner = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
  if (inner.length === 0) return [[path, command]];
  return inner.flatMap((each) => commandsOf(each, `${path} ${each.name()}`.trim()));
}

/** The program as it is called without arguments, 80 characters wide. */
export function programOfPage(): Command {
  const none = { write: () => true, once: () => undefined };
  const { program } = createCli({
    ...{ stdin: Readable.from([]), stdout: none, stderr: none, env: {} },
    signal: new AbortController().signal,
  });
  return program;
}

/** The recorded output of a command; null if there is none. */
export async function recordedOutput(name: string): Promise<string | null> {
  const file = new URL(`${name.replaceAll(' ', '-')}.txt`, recorded);
  return existsSync(file) ? readFile(file, 'utf8') : null;
}

/** The names of all recorded files, without `.txt`. */
export const recordedNames = async (): Promise<string[]> =>
  (await readdir(recorded)).map((file) => file.replace(/\.txt$/, ''));

/** The page with the present commands, their help and their recorded output, below what is written by hand. */
export async function withCommands(text: string): Promise<string> {
  const program = programOfPage();
  const sections = commandsOf(program).map(async ([name, command]) => {
    // The global options are shown once.
    command.configureHelp({ ...command.configureHelp(), showGlobalOptions: false });
    const output = await recordedOutput(name);
    const example = output === null ? [] : ['', '```text', output.trimEnd(), '```'];
    return [`### ${name}`, '', '```text', command.helpInformation().trimEnd(), '```', ...example, ''].join('\n');
  });
  const above = text.slice(0, text.indexOf(heading));
  const intro = [heading, '```text', program.helpInformation().trimEnd(), '```', ''].join('\n');
  return [`${above}${intro}`, ...(await Promise.all(sections))].join('\n');
}

if (import.meta.main) {
  await writeFile(page, await withCommands(await readFile(page, 'utf8')));
  console.log('written to docs/cli.md');
}
