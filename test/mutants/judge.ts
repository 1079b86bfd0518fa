import type { Checkout } from './checkout.ts';
import type { Mutant } from './mutant.ts';
import { mutated } from './place.ts';
import type { Reach, Step } from './reach.ts';
import { runTests } from './run-tests.ts';
import { readIn } from './shares.ts';
import { parsed } from './syntax-tree.ts';

export interface Verdict {
  /** `gone`: its place is no longer in the sources. `invalid`: Node cannot load the changed file. */
  status: 'killed' | 'survived' | 'gone' | 'invalid';
  /** The test that failed, or `timeout`. */
  by?: string;
  /** The step of that test. */
  step?: string;
}

/** Runs mutants against tests. */
export class Judge {
  readonly #checkout: Checkout;
  readonly #reach: Reach;
  readonly #limitMs: number;
  /** Files that pass without a mutant, so that their failure kills one. */
  readonly #sound = new Set<string>();
  /** Files that fail also without a mutant. They are left out. */
  readonly unsound = new Set<string>();

  constructor(options: { checkout: Checkout; reach: Reach; limitMs: number }) {
    this.#checkout = options.checkout;
    this.#reach = options.reach;
    this.#limitMs = options.limitMs;
  }

  async judge(mutant: Mutant): Promise<Verdict> {
    const { file } = mutant;
    const source = readIn(this.#checkout.path, file);
    const changed = mutated(mutant, source);
    if (changed === null) return { status: 'gone' };
    if (file.endsWith('.ts') && parsed(file, changed) === null) return { status: 'invalid' };
    for (const step of this.#reach.stepsOf(mutant)) {
      const by = await this.#killer(step, {
        apply: () => this.#checkout.write(file, changed),
        restore: () => this.#checkout.write(file, source),
      });
      if (by !== null) return { status: 'killed', by, step: step.name };
    }
    return { status: 'survived' };
  }

  /** What kills the mutant in this step; null if it survives. */
  async #killer(step: Step, mutant: { apply(): void; restore(): void }): Promise<string | null> {
    const run = (tests: readonly string[]) => {
      mutant.apply();
      return this.#run(tests, true).finally(mutant.restore);
    };
    const leftOut = new Set(this.unsound);
    for (;;) {
      const tests = step.tests.filter((test) => !leftOut.has(test));
      if (tests.length === 0) return null;
      const { outcome, failed } = await run(tests);
      if (outcome === 'passed') return null;
      if (failed.length === 0 && (await this.#allPass(tests)))
        return outcome === 'timeout' ? 'timeout' : 'the run as a whole';
      for (const { file, test } of failed) {
        // On a busy machine, a test can exceed its limit by chance: the file must fail again, and pass without the mutant.
        if ((await run([file])).outcome !== 'passed' && (await this.#allPass([file]))) return `${file} > ${test}`;
        leftOut.add(file);
      }
      for (const file of this.unsound) leftOut.add(file);
    }
  }

  /** Whether files pass without a mutant. Those that fail twice are left out from now on. */
  async #allPass(tests: readonly string[]): Promise<boolean> {
    let unknown = tests.filter((test) => !this.#sound.has(test));
    for (let tries = 1; unknown.length > 0; tries++) {
      const names = unknown.join(' ');
      const { outcome, failed, output } = await this.#run(unknown, false);
      if (outcome === 'timeout')
        throw new Error(`these tests take longer than the limit also without a mutant, raise --minutes: ${names}`);
      if (outcome === 'failed' && failed.length === 0)
        throw new Error(`the run of these tests fails also without a mutant: ${names}\n${output}`);
      const files = failed.map(({ file }) => file);
      for (const test of unknown) if (!files.includes(test)) this.#sound.add(test);
      if (files.length > 0 && tries === 2) {
        for (const file of files) this.unsound.add(file);
        return false;
      }
      unknown = files;
    }
    return true;
  }

  #run(tests: readonly string[], bail: boolean) {
    return runTests(this.#checkout, tests, { bail, limitMs: this.#limitMs });
  }
}
