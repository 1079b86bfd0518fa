import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { whySkipped } from './list.ts';

/**
 * Says at the end of a run which tests were skipped and what they need. A skipped test that the list does not allow on
 * this machine fails the run: it would count as passed for everybody who reads only the last line.
 */
export class SkippedTests implements Reporter {
  #root = '';
  #isFiltered = false;

  onInit({ config }: Vitest): void {
    this.#root = config.root;
    // The option -t skips all other tests.
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isFiltered) return;
    const { lines, unexpected } = reportOf(modules.flatMap((module) => skippedIn(module, this.#root)));
    for (const line of lines) console.log(line);
    if (unexpected) process.exitCode = 1;
  }
}

interface Skipped {
  file: string;
  name: string;
}

const skippedIn = (module: TestModule, root: string): Skipped[] =>
  [...module.children.allTests('skipped')]
    // Tests whose `beforeAll` failed are not skipped: the failure is reported.
    .filter(({ options }) => options.mode === 'skip' || options.mode === 'todo')
    .map((test) => ({ file: relative(root, module.moduleId), name: test.fullName }));

/** One line for each need that the machine lacks, and one for each test that may not be skipped. */
export function reportOf(skipped: readonly Skipped[]): { lines: string[]; unexpected: boolean } {
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  for (const { file, name } of skipped) {
    const needs = whySkipped(file)?.needs;
    if (needs === undefined) wrong.push(`FAILED: a test may not be skipped here: ${file} > ${name}`);
    else counts.set(needs, (counts.get(needs) ?? 0) + 1);
  }
  const lines = [...counts].map(
    ([needs, count]) => `${count} ${count === 1 ? 'test' : 'tests'} skipped, which need ${needs}`,
  );
  return { lines: [...lines, ...wrong], unexpected: wrong.length > 0 };
}
