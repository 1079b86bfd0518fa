import { type Command, CommanderError } from 'commander';
import type { GlobalOptions } from './cli.ts';
import { adminClient, connectionOf } from './connection.ts';
import type { Environment } from './environment.ts';
import { CliError, type ExitCode, exitCodes } from './exit.ts';
import { createOutput, type Sink } from './output/output.ts';
import { createProgram } from './program.ts';
import { createPrompts } from './prompts.ts';

/** What a run has of its process. */
export interface Surroundings {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Sink;
  stderr: Sink;
  env: Environment;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Aborted when the reader of the output has gone: a command that only shows something ends then. */
  readerGone?: AbortSignal;
}

/** Commands whose output is all that they are for. The exit code of any other says more, and it may be changing something. */
const shows = new Set(['list', 'show', 'tail', 'listen', 'payload', 'export', 'failed', 'retrying', 'runs', 'stats']);

/** The program, with all that its commands need. */
export function createCli(surroundings: Surroundings): { program: Command } {
  const { stdin, stdout, stderr, env, signal } = surroundings;
  const out = createOutput(stdout, stderr, env);
  const options = (): GlobalOptions => program.opts();
  const connection = () => connectionOf(options(), env);
  const program = createProgram({
    ...{ out, stdin, env, signal, connection },
    admin: () => adminClient(connection(), signal),
    prompts: createPrompts({ stdin, stderr }, signal, () => options().yes === true),
  });
  forEachCommand(program, (command) =>
    command.exitOverride().configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => out.columns,
      getErrHelpWidth: () => out.columns,
      getOutHasColors: () => out.colors.isColorSupported,
      getErrHasColors: () => false,
    }),
  );
  program.hook('preAction', () => {
    out.json = options().json === true;
  });
  return { program };
}

/** Resolves when a command that only shows something has lost its reader. */
const withoutReader = (program: Command, readerGone: AbortSignal | undefined) =>
  new Promise<ExitCode>((resolve) => {
    let name = '';
    program.hook('preAction', (_, command) => {
      name = command.name();
    });
    const end = () => {
      // Help and completion have no action.
      if (name === '' || shows.has(name)) resolve(exitCodes.done);
    };
    readerGone?.addEventListener('abort', end);
  });

/**
 * Runs one command, and returns its exit code. Errors are written to standard error.
 *
 * @param argv as `process.argv`: the arguments begin with the third
 */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { program } = createCli(surroundings);
  return Promise.race([withoutReader(program, surroundings.readerGone), runCommand(program, argv, surroundings)]);
}

async function runCommand(
  program: Command,
  argv: readonly string[],
  { signal, stderr }: Surroundings,
): Promise<ExitCode> {
  try {
    await program.parseAsync([...argv]);
    return signal.aborted ? exitCodes.interrupted : exitCodes.done;
  } catch (error) {
    if (signal.aborted || isAbort(error)) return exitCodes.interrupted;
    // Commander has written its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
    if (!(error instanceof CliError)) throw error;
    // That something differs is the answer to a question, and no error.
    const lead = error.exitCode === exitCodes.differs ? '' : 'error: ';
    stderr.write(`${lead}${error.message}\n${error.next}\n`);
    return error.exitCode;
  }
}

/** Ctrl-C at a question of Inquirer is an error of these names. */
const isAbort = (error: unknown) =>
  error instanceof Error && ['AbortError', 'AbortPromptError', 'ExitPromptError'].includes(error.name);

function forEachCommand(command: Command, change: (command: Command) => unknown): void {
  change(command);
  for (const inner of command.commands) forEachCommand(inner, change);
}
