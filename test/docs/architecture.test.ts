import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const page = readFileSync(inProject('docs/architecture.md'), 'utf8');

test('every file and folder in the map exists', () => {
  const named = [...page.matchAll(/`((?:src|workflows|activities|migrations)\/[\w./-]*)`/g)].map(
    ([, path]) => path ?? '',
  );
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((path) => !existsSync(inProject(path)))).toEqual([]);
});

test('the map has a line for everything in src/', () => {
  const entries = readdirSync(inProject('src'), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `src/${entry.name}/` : `src/${entry.name}`,
  );
  const [, table = ''] = page.split('## Folders, from the top down');
  expect(entries.filter((entry) => !table.includes(`\`${entry}\``))).toEqual([]);
});

test('the map lists folders in the order of imports that the linter allows', () => {
  const biome: { overrides: { includes: string[]; linter: { rules: { style?: Record<string, unknown> } } }[] } =
    JSON.parse(readFileSync(inProject('biome.json'), 'utf8'));
  const [, rest = ''] = page.split('## Folders, from the top down');
  const listed = [...rest.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) =>
    [...(cell ?? '').matchAll(/`((?:src\/)?[\w.]+)\/?`/g)].map(([, path]) => path ?? ''),
  );
  const ordered = biome.overrides
    .filter(({ linter }) => JSON.stringify(linter).includes('docs/architecture.md'))
    .map(({ includes: [first = ''] }) => first.replace(/\/\*(\*|\.ts)$/, ''));
  expect(ordered.length).toBeGreaterThan(15);
  expect(ordered).toEqual(listed.filter((path) => ordered.includes(path)));
});
