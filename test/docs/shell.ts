import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { until } from '../support/until.ts';

export interface Ran {
  /** The exit status. */
  status: number;
  stdout: string;
  stderr: string;
  /** The HTTP status of each call of curl; 0: no answer. */
  answers: number[];
}

/** A command that runs until it is interrupted. */
export interface Served {
  output(): string;
  /** Waits until the output matches. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Interrupts it as Ctrl-C does. */
  interrupt(): Promise<Ran>;
}

/** Above what any single command of the pages takes on a busy machine. */
const commandLimitMs = 90_000;

/**
 * - curl also reports the status of its answer, on standard error, and gives up after half a minute.
 * - `npm ci` would delete the packages of the tests that run. So it only checks that it has its file.
 * - `set -m` gives each command a process group, which Ctrl-C interrupts.
 */
const prelude = `
set -m -o pipefail
curl() { command curl --silent --show-error --max-time 30 --write-out '%{stderr}\\n[answer %{http_code}]\\n' "$@"; }
npm() { if [ "$1" = ci ]; then test -f package-lock.json; else command npm "$@"; fi; }
`;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A bash in which the commands of a page run one after the other, so that a later one sees the variables of an earlier one. */
export class Shell {
  readonly #bash: ChildProcess;
  readonly #input: Writable;
  readonly #reports: Interface;
  readonly #ended: Promise<void>;
  readonly #folder: string;
  readonly #served = new Set<Served>();
  #count = 0;

  /** @param folder for the outputs of the commands */
  constructor({ cwd, env, folder }: { cwd: string; env: Record<string, string>; folder: string }) {
    this.#folder = folder;
    this.#bash = spawn('bash', ['--noprofile', '--norc'], { cwd, env, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
    this.#input = this.#bash.stdin as Writable;
    this.#reports = createInterface({ input: this.#bash.stdio[3] as Readable });
    this.#ended = new Promise((resolve) => this.#bash.once('exit', () => resolve()));
    this.#input.write(prelude);
  }

  /** Sets a variable, for this command and all later ones. */
  set(name: string, value: string): void {
    this.#input.write(`${name}=${quoted(value)}\n`);
  }

  /** Runs a command and waits for its end. */
  async run(command: string): Promise<Ran> {
    const files = this.#files();
    const report = this.#report(command);
    this.#input.write(`{ ${command}\n} ${files.redirection}\necho $? >&3\n`);
    return files.ran(Number(await report));
  }

  /** Starts a command in the background, as in a terminal of its own. */
  async serve(command: string): Promise<Served> {
    const files = this.#files();
    const report = this.#report(command);
    this.#input.write(`{ ${command}\n} ${files.redirection} &\necho $! >&3\n`);
    const pid = Number(await report);
    const served: Served = {
      output: files.output,
      printed: (pattern) =>
        until(`'${command}' prints ${pattern}`, () => {
          const match = pattern.exec(files.output());
          if (match === null && !isRunning(pid)) throw new Error(`'${command}' ended: ${files.output()}`);
          return match;
        }),
      interrupt: async () => {
        this.#served.delete(served);
        if (isRunning(pid)) process.kill(-pid, 'SIGINT');
        const ended = this.#report(`the end of ${command}`);
        this.#input.write(`wait ${pid}\necho $? >&3\n`);
        return files.ran(Number(await ended));
      },
    };
    this.#served.add(served);
    return served;
  }

  /** Interrupts what still runs in the background, and ends. */
  async end(): Promise<void> {
    try {
      for (const served of [...this.#served]) await served.interrupt();
    } finally {
      this.#input.end();
      await this.#ended;
    }
  }

  #files() {
    const [out, err] = ['out', 'err'].map((name) => join(this.#folder, `${this.#count}.${name}`)) as [string, string];
    this.#count += 1;
    // A command in the background may not have opened them yet.
    const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    const output = () => `${read(out)}\n${read(err)}`;
    const ran = (status: number): Ran => ({
      ...{ status, stdout: read(out), stderr: read(err) },
      answers: [...read(err).matchAll(/^\[answer (\d+)\]$/gm)].map(([, code]) => Number(code)),
    });
    return { redirection: `>${quoted(out)} 2>${quoted(err)} </dev/null 3>&-`, output, ran };
  }

  /** The next line that bash reports: a status or a pid. */
  #report(command: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const done = (line: string) => {
        clearTimeout(late);
        resolve(line);
      };
      const late = setTimeout(() => {
        this.#reports.off('line', done);
        // Otherwise its end would be taken for that of the next command.
        this.#bash.kill('SIGKILL');
        reject(new Error(`this did not end: ${command}`));
      }, commandLimitMs);
      this.#reports.once('line', done);
    });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
