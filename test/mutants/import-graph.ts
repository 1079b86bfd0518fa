import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Which files load which: paths from the root of the checkout. */
export class ImportGraph {
  readonly #importers = new Map<string, Set<string>>();

  constructor(root: string) {
    for (const file of globSync('{src,workflows,activities,migrations,test}/**/*.ts', { cwd: root }).sort())
      for (const imported of importsOf(root, file)) {
        const importers = this.#importers.get(imported) ?? new Set();
        this.#importers.set(imported, importers.add(file));
      }
  }

  /** The test files that load a file, each with the number of imports between them, nearest first. */
  testsOf(file: string): { test: string; distance: number }[] {
    const distances = new Map([[file, 0]]);
    // A Map iterates over entries that are added meanwhile, so this visits the files in the order of their distance.
    for (const [reached, distance] of distances)
      for (const importer of this.#importers.get(reached) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1);
    return [...distances]
      .filter(([path]) => path.endsWith('.test.ts'))
      .map(([test, distance]) => ({ test, distance }))
      .sort((a, b) => a.distance - b.distance || (a.test < b.test ? -1 : 1));
  }
}

/** The files that a file loads. Imports of types load nothing. */
function importsOf(root: string, file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const { module } = parseSync(file, source);
  const requests = [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest === null || isType ? [] : [moduleRequest.value])),
    ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start + 1, end - 1)),
  ];
  return requests
    .filter((request) => request.startsWith('.'))
    .map((request) => posix.join(posix.dirname(file), request))
    .filter((path) => existsSync(join(root, path)));
}
