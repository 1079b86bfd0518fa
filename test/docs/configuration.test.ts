import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { withTable } from '../../src/config/table.ts';
import { composeVariables, exampleEnv, readProjectFile, settingNames } from '../docker/files.ts';

const page = readProjectFile('docs/configuration.md');

/** Name and default of each row of the table of variables: | `NAME` | `default` | meaning | */
const rows = [...page.matchAll(/^\| `([A-Z][A-Z_]+)` \| (.*?) \| /gm)].map(([, name, given]) => ({
  name: name ?? '',
  default: /^`([^`]*)`$/.exec(given ?? '')?.[1] ?? null,
}));

test('the table is the one that `npm run config-table` writes', () => {
  expect(withTable(page)).toBe(page);
});

test('the table names every variable of the gateway, once, and no other', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(settingNames().sort());
});

test.each(rows.filter((row) => row.default !== null))(
  '$name has the default that the table says',
  ({ name, default: value }) => {
    expect(readConfig('all', { [name]: value ?? '' })).toEqual(readConfig('all', {}));
  },
);

test('.env.example names every variable, and those of docker compose', () => {
  expect(Object.keys(exampleEnv()).sort()).toEqual([...settingNames(), ...composeVariables].sort());
});

test('an unchanged copy of .env.example does not change npm start', () => {
  expect(readConfig('all', exampleEnv())).toEqual(readConfig('all', {}));
});
