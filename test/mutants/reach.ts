import { globSync } from 'node:fs';
import { ImportGraph } from './import-graph.ts';
import type { Mutant } from './mutant.ts';
import { callersOf, shares } from './shares.ts';

/** Test files that are run together, before those of the next step. */
export interface Step {
  name: string;
  tests: readonly string[];
}

/** The nearest step is to take seconds. Further tests are in the folders of the share. */
const mostNear = 16;
/** Folders whose files take minutes, or are about something else than the code of the shares. */
const slow = /^test\/(attacks|backups|console|demo|docker|docs|e2e|embedded|mutants|process|roles|upgrade)\//;
/** Compares the hashes of released files, which each change of a function has changed. */
const comparesFiles = 'test/database/migration-rules.test.ts';

/** Finds the tests that reach mutants. */
export class Reach {
  readonly #root: string;
  readonly #graph: ImportGraph;

  constructor(root: string) {
    this.#root = root;
    this.#graph = new ImportGraph(root);
  }

  /** Nearest first: tests that import the file, then the folders that reach it through a gateway, then the end-to-end tests. */
  stepsOf({ file, share }: Pick<Mutant, 'file' | 'share'>): Step[] {
    const folders = shares.find(({ name }) => name === share)?.tests ?? [];
    const near = this.#near(file);
    const [first = ''] = folders;
    const all = [
      // Workflows and triggers are imported by no test.
      { name: 'near', tests: near.length > 0 ? near : this.#testsIn(first) },
      { name: 'folders', tests: folders.flatMap((folder) => this.#testsIn(folder)) },
      { name: 'e2e', tests: this.#testsIn('test/e2e') },
    ];
    const seen = new Set(file.endsWith('.sql') ? [comparesFiles] : []);
    return all.flatMap(({ name, tests }) => {
      const left = tests.filter((test) => !seen.has(test));
      for (const test of left) seen.add(test);
      return left.length === 0 ? [] : [{ name, tests: left }];
    });
  }

  /** The nearest tests: whole groups of the same distance, while they are few. */
  #near(file: string): string[] {
    const distances = new Map<string, number>();
    for (const source of this.#sourcesOf(file))
      for (const { test, distance } of this.#graph.testsOf(source))
        if (!slow.test(test)) distances.set(test, Math.min(distance, distances.get(test) ?? distance));
    const near: string[] = [];
    for (const distance of [...new Set(distances.values())].sort((a, b) => a - b)) {
      const group = [...distances].flatMap(([test, each]) => (each === distance ? [test] : []));
      if (near.length + group.length > mostNear) break;
      near.push(...group.sort());
    }
    return near;
  }

  /** The file itself, or the TypeScript files that call an SQL function, also through other functions. */
  #sourcesOf(file: string): string[] {
    const found = new Set([file]);
    // A Set iterates over entries that are added meanwhile.
    for (const each of found)
      if (each.endsWith('.sql')) for (const caller of callersOf(this.#root, each)) found.add(caller);
    return [...found].filter((each) => each.endsWith('.ts'));
  }

  #testsIn(path: string): string[] {
    const pattern = path.endsWith('.test.ts') ? path : `${path}/**/*.test.ts`;
    return globSync(pattern, { cwd: this.#root }).sort();
  }
}
