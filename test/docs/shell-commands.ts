import { spawnSync } from 'node:child_process';
import { codeOf, pages } from './pages.ts';

/** A command of a page as a reader runs it: one line, or several that belong together. */
export interface Command {
  page: string;
  /** The code, without the comment at its end and without the indentation of its block. */
  text: string;
}

/** What a reader replaces, such as `<file>`. */
export const placeholder = /<[A-Za-z][\w ]*>/g;

function withoutIndentation(code: string): string {
  const indentation = /^ */.exec(code)?.[0] ?? '';
  return code.replaceAll(new RegExp(`^${indentation}`, 'gm'), '');
}

/**
 * Splits code into commands, each with the lines that bash needs to understand it.
 *
 * @throws Error if the end of the code is not the end of a command
 */
export function split(code: string): string[] {
  const commands: string[] = [];
  let lines: string[] = [];
  for (const line of code.split('\n')) {
    if (lines.length === 0 && /^\s*(#.*)?$/.test(line)) continue;
    lines.push(line);
    if (!isComplete(lines.join('\n'))) continue;
    commands.push(lines.join('\n').replace(/ {2,}# .*$/, ''));
    lines = [];
  }
  if (lines.some((line) => line !== '')) throw new Error(`bash does not understand this: ${lines.join('\n')}`);
  return commands;
}

/** Bash accepts a `\` at the end, and only warns of a here-document without its last line. */
function isComplete(text: string): boolean {
  if (/(^|[^\\])(\\\\)*\\$/.test(text)) return false;
  const input = text.replaceAll(placeholder, 'replaced');
  const { status, stderr } = spawnSync('bash', ['-n'], { input, encoding: 'utf8' });
  return status === 0 && stderr === '';
}

/** The commands of all `sh` blocks of the pages that have any, in their order. A comment on a line of its own is no command. */
export const commandsByPage: ReadonlyMap<string, readonly Command[]> = new Map(
  pages
    .map((page): [string, Command[]] => [
      page,
      codeOf(page, 'sh')
        .flatMap((code) => split(withoutIndentation(code)))
        .map((text) => ({ page, text })),
    ])
    .filter(([, commands]) => commands.length > 0),
);
