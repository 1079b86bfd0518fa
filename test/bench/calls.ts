import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endWithThis } from './children.ts';

/** The functions that a process of the benchmark offers, by name. Each takes one argument. */
type Offered = Record<string, (argument: never) => unknown>;

interface Answer {
  id: number;
  result: never;
  /** The message of the error; null if the call succeeded. */
  error: string | null;
}

/** A process of the benchmark, and the calls of its functions by IPC. It ends with this process. */
export class BenchProcess<Calls extends Offered> {
  readonly #child;
  readonly #open = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  #last = 0;

  /** @param program a file below `test/bench/` that calls `offer` */
  constructor(program: string) {
    const file = fileURLToPath(new URL(program, import.meta.url));
    this.#child = endWithThis(fork(file, [], { serialization: 'advanced' }));
    this.#child.on('message', ({ id, result, error }: Answer) => {
      const call = this.#open.get(id);
      this.#open.delete(id);
      if (error === null) call?.resolve(result);
      else call?.reject(new Error(error));
    });
    this.#child.once('exit', (code) => {
      for (const { reject } of this.#open.values()) reject(new Error(`${program} ended with code ${code}`));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Calls a function of the process, and resolves with its result. */
  call<Name extends keyof Calls & string>(
    name: Name,
    argument: Parameters<Calls[Name]>[0],
  ): Promise<Awaited<ReturnType<Calls[Name]>>> {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#open.set(id, { resolve, reject });
      this.#child.send({ id, name, argument });
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.disconnect();
    await once(this.#child, 'exit');
  }
}

/** Answers the calls of the process that has started this one, and ends with it. */
export function offer(calls: Offered): void {
  process.on('message', async ({ id, name, argument }: { id: number; name: string; argument: never }) => {
    const answer = await Promise.resolve(argument)
      .then(calls[name])
      .then(
        (result) => ({ id, result, error: null }),
        (error: unknown) => ({ id, error: `${name}: ${error}` }),
      );
    process.send?.(answer);
  });
  process.once('disconnect', () => process.exit(0));
}
