import { watch } from './leaks/watch.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A role of a gateway that runs, as a process of its own or inside the test's process. */
export interface RunningRole {
  /** What it has printed for people so far. */
  stdout(): string;
  /** Its log and its errors so far. */
  stderr(): string;
  readonly exited: Promise<Exit>;
  isRunning(): boolean;
  /** Waits until the text is there and returns the match; throws when the role ends before. */
  printed(pattern: RegExp, where?: Stream): Promise<RegExpExecArray>;
  /** Asks it to end, a process with this signal, and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

type Stream = 'stdout' | 'stderr';

/** Two cores carry other tests besides; a first start of the embedded servers takes seconds. */
const printLimitMs = 90_000;

/** What a role prints: keeps it, and tells those who wait for a part of it. */
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

  /** Nothing comes any more. Searches what was printed for secrets of the tests. */
  end(): void {
    this.#ended = true;
    for (const look of this.#waiting) look();
    for (const [stream, text] of Object.entries(this.#texts)) watch(`${stream} of ${this.#name}`, text);
  }

  /** Resolves with the first match; rejects when the role ends without, or after 90 s. */
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
