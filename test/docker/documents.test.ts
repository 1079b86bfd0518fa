import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { bucketCredentials, composeVariables, exampleEnv, readProjectFile, settingNames } from './files.ts';

const readme = readProjectFile('README.md');

/** Name and default of each row of the configuration table: | `NAME` | `default` | meaning | */
const rows = [...readme.matchAll(/^\| `([A-Z][A-Z_]+)` \| (.*?) \| /gm)].map(([, name, given]) => ({
  name: name ?? '',
  default: /^`([^`]*)`$/.exec(given ?? '')?.[1] ?? null,
}));

test("README's table names every variable of src/config.ts, once, and no other", () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(settingNames().sort());
});

test.each(rows.filter((row) => row.default !== null))(
  '$name is by default what README says',
  ({ name, default: value }) => {
    expect(readConfig('all', { [name]: value ?? '' })).toEqual(readConfig('all', {}));
  },
);

test('.env.example names every variable, and those of docker compose', () => {
  expect(Object.keys(exampleEnv()).sort()).toEqual(
    [...settingNames(), ...bucketCredentials, ...composeVariables].sort(),
  );
});

test('a plain copy of .env.example changes nothing for npm start', () => {
  expect(readConfig('all', exampleEnv())).toEqual(readConfig('all', {}));
});

test("README's links to files of the project lead somewhere", () => {
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path ?? '');
  expect(links.length).toBeGreaterThan(0);
  for (const path of links)
    expect(existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url))), path).toBe(true);
});

test("README's links into itself lead to a heading", () => {
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(/\s/g, '-');
  const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => slug(heading ?? ''));
  const anchors = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(headings).toEqual(expect.arrayContaining(anchors));
});
