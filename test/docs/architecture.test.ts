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

const [, rest = ''] = page.split('## Folders, from the top down');
const listed = [...rest.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) =>
  [...(cell ?? '').matchAll(/`((?:src\/)?[\w.]+)\/?`/g)].map(([, path]) => path ?? ''),
);

interface ImportRules {
  noRestrictedImports?: { options: { patterns: { group: string[] }[] } };
}
const biome: { overrides: { includes: string[]; linter: { rules: { style?: ImportRules } } }[] } = JSON.parse(
  readFileSync(inProject('biome.json'), 'utf8'),
);
/** The folders whose imports point down only, in the order of the file, and the imports that are refused in each. */
const ruled = biome.overrides
  .filter(({ linter }) => JSON.stringify(linter).includes('docs/architecture.md'))
  .map(({ includes: [first = ''], linter }) => ({
    folder: first.replace(/\/\*\*$/, ''),
    refused: linter.rules.style?.noRestrictedImports?.options.patterns.flatMap(({ group }) => group),
  }));

test('the map lists folders in the order of imports that the linter allows', () => {
  const ordered = ruled.map(({ folder }) => folder);
  expect(ordered.length).toBeGreaterThan(15);
  expect(ordered).toEqual(listed.filter((path) => ordered.includes(path)));
});

test('the linter refuses in each folder the imports of all that are above it in the map', () => {
  for (const { folder, refused } of ruled) {
    const above = listed.slice(0, listed.indexOf(folder)).map((path) => path.replace('src/', ''));
    const patterns = above.map((path) => (path.endsWith('.ts') ? `**/${path}` : `**/${path}/**`));
    expect(refused, folder).toEqual(expect.arrayContaining(patterns));
  }
});

test('the linter has such a rule for each folder of src/', () => {
  const folders = listed.filter((path) => path.startsWith('src/') && !path.endsWith('.ts'));
  expect(ruled.map(({ folder }) => folder)).toEqual(expect.arrayContaining(folders));
});
