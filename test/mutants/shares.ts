import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit } from './mutant.ts';
import { functionEdits } from './sql-edits.ts';
import { typescriptEdits } from './typescript-edits.ts';

/** A part of the code that gets an equal share of the mutants. */
export interface Share {
  name: string;
  /** Its files, as paths from the root of the checkout. */
  files: string;
  /** The tests that reach it through a running gateway, besides those that import it: folders or files. */
  tests: readonly string[];
}

/** The tests of what claims events: first attempts, starts of workflows, and heartbeats. */
const queue = ['test/attempts', 'test/engine', 'test/processes'];

export const shares: readonly Share[] = [
  {
    name: 'src/events/transitions',
    files: 'src/events/transitions/**/*.ts',
    tests: ['test/events', ...queue, 'test/database', 'test/ingest', 'test/maintenance'],
  },
  {
    name: 'src/delivery',
    files: 'src/delivery/**/*.ts',
    tests: ['test/delivery', ...queue, 'test/events', 'test/tracing'],
  },
  {
    name: 'src/{attempts,engine,processes}',
    files: 'src/{attempts,engine,processes}/**/*.ts',
    tests: [...queue, 'test/events', 'test/maintenance'],
  },
  {
    name: 'workflows',
    files: 'workflows/**/*.ts',
    tests: ['test/workflows', 'test/replay', ...queue, 'test/temporal', 'test/maintenance'],
  },
  {
    name: 'migrations/functions',
    files: 'migrations/functions/*.sql',
    tests: ['test/events', 'test/database', ...queue, 'test/ingest', 'test/maintenance', 'test/secrets'],
  },
];

/** Reads a file of the checkout. */
export const readIn = (root: string, file: string): string => readFileSync(join(root, file), 'utf8');

/** The files of a share, without functions that only the release before calls: no test of today's code reaches them. */
export function filesOf(root: string, share: Share): string[] {
  const files = globSync(share.files, { cwd: root }).sort();
  if (!share.files.endsWith('.sql')) return files;
  return files.filter((file) => callersOf(root, file).length > 0);
}

/** The files that call an SQL function: TypeScript, the schema, and other functions. */
export function callersOf(root: string, file: string): string[] {
  const [, name = ''] = /(\w+)\.sql$/.exec(file) ?? [];
  const call = new RegExp(`\\b${name}\\(`);
  return globSync(['src/**/*.ts', 'migrations/**/*.{ts,sql}'], { cwd: root })
    .filter((path) => path !== file && call.test(readIn(root, path).replaceAll(/--[^\n]*/g, '')))
    .sort();
}

/** All changes of a file that could be drawn. */
export const editsOf = (file: string, source: string): Edit[] =>
  file.endsWith('.sql') ? functionEdits(source) : typescriptEdits(file, source);
