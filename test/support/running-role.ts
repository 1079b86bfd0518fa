import { watch } from './leaks/watch.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A running role of a gateway, as a separate process or inside the test's process. */
export interface RunningRole {
  /** Its standard output so far. */
  stdout(): string;
  /** Its log and errors so far. */
  stderr(): string;
  readonly exited: Promise<Exit>;
  isRunning(): boolean;
  /** Waits until the output matches and returns the match. Throws if the role ends before. */
  printed(pattern: RegExp, where?: Stream): Promise<RegExpExecArray>;
  /** Asks the role to stop (a process by this signal) and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

type Stream = 'stdout' | 'stderr';

/** A first start of the embedded servers takes seconds, and the cores also run other tests. */
const printLimitMs = 200_000;

/** Keeps the output of a role, and resolves waits for a part of it. */
export class RoleOutput {
  readonly #name: string;
  readonly #texts = { stdout: '', stderr: '' };
  readonly #waiting = new Set<() => void>();
  #ended = false;

  /** @param name names the role in errors and in reports of leaks, such as `the process api` */
  constructor(name: string) {
    this.#name = name;
  }

  text(stream: Stream): string {
    return this.#texts[stream];
  }

  add(stream: Stream, text: string): void {
    this.#texts[stream] += text;
    for (const look of this.#waiting) look();
  }

  /** To be called at the end of the output, which is then searched for secrets of the tests. */
  end(): void {
    this.#ended = true;
    for (const look of this.#waiting) look();
    for (const [stream, text] of Object.entries(this.#texts)) watch(`${stream} of ${this.#name}`, text);
  }

  /** Resolves with the first match. Rejects when the role ends without a match, or after 90 s. */
  printed(pattern: RegExp, stream: Stream = 'stdout'): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#waiting.delete(look);
        clearTimeout(late);
      };
      const fail = () => {
        done();
        const { stdout, stderr } = this.#texts;
        reject(new Error(`${this.#name} did not print ${pattern}; it printed:\n${stdout}\n${stderr}`));
      };
      const look = () => {
        const match = pattern.exec(this.#texts[stream]);
        if (match) {
          done();
          resolve(match);
        } else if (this.#ended) fail();
      };
      const late = setTimeout(fail, printLimitMs);
      this.#waiting.add(look);
      look();
    });
  }
}
