import { usageError } from './exit.ts';
import type { Sink } from './output/output.ts';

/** Questions to the user, on standard error, so that standard output has the result only. */
export interface Prompts {
  /** Standard input and standard error are a terminal. */
  possible: boolean;
  /**
   * Asks before something that cannot be undone. `--yes` answers.
   *
   * @throws CliError without a terminal and without `--yes`, and for the answer no
   */
  confirm(question: string): Promise<void>;
  /** @throws CliError without a terminal; `instead` says how to give the value then */
  text(question: string, instead: string, initial?: string): Promise<string>;
  /** As `text`; the answer is not shown. */
  secret(question: string, instead: string): Promise<string>;
}

/** @param yes whether `--yes` is set, read at each question */
export function createPrompts(
  streams: { stdin: NodeJS.ReadableStream & { isTTY?: boolean }; stderr: Sink },
  signal: AbortSignal,
  yes: () => boolean,
): Prompts {
  const possible = streams.stdin.isTTY === true && streams.stderr.isTTY === true;
  // A terminal is always a writable stream of Node; only tests have another sink, which is none.
  const context = { input: streams.stdin, output: streams.stderr as unknown as NodeJS.WritableStream, signal };
  // Loaded where a question is asked: most commands ask none.
  const load = () => import('@inquirer/prompts');
  const needsTerminal = (what: string, instead: string) => {
    if (!possible) throw usageError(`${what}, and there is no terminal to ask`, instead);
  };
  return {
    possible,
    async confirm(question) {
      if (yes()) return;
      needsTerminal('this must be confirmed', 'Add --yes to confirm it.');
      const { confirm } = await load();
      if (!(await confirm({ message: question, default: false }, context)))
        throw usageError('not confirmed; nothing was done', 'Answer y to confirm it.');
    },
    async text(question, instead, initial) {
      needsTerminal('a value is missing', instead);
      const { input } = await load();
      return input(
        { message: question, required: true, ...(initial === undefined ? {} : { default: initial }) },
        context,
      );
    },
    async secret(question, instead) {
      needsTerminal('a secret is missing', instead);
      const { password } = await load();
      return password({ message: question }, context);
    },
  };
}
