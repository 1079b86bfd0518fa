import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../src/config/config.ts';
import { readBenchmark } from '../bench/benchmarks.ts';
import { readOptions as readClusterOptions } from '../cluster/options.ts';
import { parseCompose, readProjectFile } from '../docker/files.ts';
import { readOptions as readFaultsOptions } from '../faults/options.ts';
import { readOptions as readMutantsOptions } from '../mutants/options.ts';
import { readOptions as readSoakOptions } from '../soak/options.ts';
import { notRun } from './not-run.ts';
import { projectFiles } from './pages.ts';
import { commandsByPage } from './shell-commands.ts';
import { start } from './stage.ts';
import { values } from './values.ts';
import { plain, ways } from './ways.ts';

const documented = new Set([...commandsByPage.values()].flat().map(({ text }) => text));
const left = notRun.flatMap(({ commands }) => commands);
const run = [start, ...Object.keys(ways)];

test('every command of the pages is run, or named with the reason why not', () => {
  expect(documented.size).toBeGreaterThan(100);
  const unknown = [...documented].filter((text) => !plain.test(text) && !run.includes(text) && !left.includes(text));
  expect(unknown, 'name them in ways.ts, or in not-run.ts with a reason').toEqual([]);
});

test('every entry of the tables is a command of a page, and in one table', () => {
  const entries = [...run, ...left];
  expect(entries.filter((text) => !documented.has(text))).toEqual([]);
  expect(entries.filter((text, n) => entries.indexOf(text) !== n)).toEqual([]);
});

test('every value that stands for a placeholder is used by a command', () => {
  const texts = [...documented].filter((text) => !left.includes(text));
  expect(Object.keys(values).filter((name) => !texts.some((text) => text.includes(name)))).toEqual([]);
});

test('pages have their commands in blocks of the language sh', () => {
  const others = [...commandsByPage.keys()].filter((page) =>
    /^ *```(bash|shell|console|zsh)$/m.test(readProjectFile(page)),
  );
  expect(others).toEqual([]);
});

/** What can be checked of `npm run NAME -- ARGUMENTS` without running it. */
const readers: Record<string, (args: string[]) => unknown> = {
  bench: readBenchmark,
  cluster: readClusterOptions,
  faults: readFaultsOptions,
  mutants: readMutantsOptions,
  soak: readSoakOptions,
};
const npmRuns = left.flatMap((text) => {
  const [, name = '', args = ''] = /^(?:\w+=\S+ )?npm run (\w+)(?: -- (.*))?$/.exec(text) ?? [];
  return readers[name] === undefined ? [] : [{ text, name, args: args === '' ? [] : args.split(' ') }];
});

test.each(npmRuns)('$text has arguments that are accepted', ({ name, args }) => {
  expect(readers[name]?.(args)).toBeTruthy();
});

test('wrong arguments of these commands are refused', () => {
  for (const args of [
    ['deliver', '--scenario', 'burst'],
    ['deliver', '--scenarios', 'burts'],
    ['queue', '--events', 'x'],
  ])
    expect(() => readBenchmark(args), args.join(' ')).toThrow();
  for (const args of [
    ['--faults', 'kill-all'],
    ['--seed', 'x'],
    ['--seeds', '0'],
    ['--rate', '1.5'],
  ])
    expect(() => readFaultsOptions(args), args.join(' ')).toThrow(args[0]);
  for (const args of [
    ['--minutes', '0'],
    ['--rate', ''],
    ['--seconds', '5'],
  ])
    expect(() => readSoakOptions(args), args.join(' ')).toThrow(args[0]);
  expect(readFaultsOptions(['--seed', '7', '--seeds', '3']).seeds).toEqual([7, 8, 9]);
});

const composeFile = z.object({
  services: z.record(z.string(), z.looseObject({ profiles: z.array(z.string()).optional() })),
});

test('commands of docker compose name services and profiles of the file', () => {
  const { services } = composeFile.parse(parseCompose());
  const profiles = Object.values(services).flatMap((service) => service.profiles ?? []);
  const named = left.flatMap((text) => {
    const [, profile, verb = '', rest = ''] = /^docker compose (?:--profile (\w+) )?(\w+) ?(.*)$/.exec(text) ?? [];
    if (profile !== undefined) expect(profiles).toContain(profile);
    const words = rest
      .replaceAll(/--[\w-]+/g, '')
      .split(' ')
      .filter((word) => word !== '');
    // The words after the service of `exec` and `run` are a command.
    return verb === 'exec' || verb === 'run' ? words.slice(0, 1) : words;
  });
  expect(new Set(named)).toEqual(new Set(['api', 'worker', 'migrate', 'postgresql']));
  expect(named.filter((name) => services[name] === undefined)).toEqual([]);
});

const vitestRuns = left.flatMap((text) => {
  const [, path, name = ''] = /^npx vitest run (\S+)(?: -t '(.*)')?$/.exec(text) ?? [];
  return path === undefined ? [] : [{ text, path, name }];
});

test.each(vitestRuns)('$text finds tests', ({ path, name }) => {
  const files = projectFiles.filter((file) => file === path || file.startsWith(`${path}/`));
  expect(files.filter((file) => new RegExp(`^ *test.*${name}`, 'm').test(readProjectFile(file)))).not.toEqual([]);
});

/** Settings that a worker needs, besides one that a page shows. */
const needed = {
  DATABASE_URL: 'postgresql://gateway@127.0.0.1/gateway',
  SECRETS_KEY: randomBytes(32).toString('base64'),
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
};
const assignment = /^(?:export )?([A-Z_]+)=('[^']*'|[^\s'"$]+)( |$)/;
const shown = [...documented].flatMap((text) => {
  const found: { text: string; settings: Record<string, string> } = { text, settings: {} };
  for (let rest = text; assignment.test(rest); rest = rest.replace(assignment, '')) {
    const [, name = '', value = ''] = assignment.exec(rest) ?? [];
    if (name !== 'GATEWAY') found.settings[name] = value.replaceAll("'", '');
  }
  return Object.keys(found.settings).length === 0 ? [] : [found];
});

test.each(shown)('$text has settings that are accepted', ({ settings }) => {
  // The files of TLS are those of the reader's machine.
  if (Object.values(settings).some((value) => value.includes('/etc/gateway/')))
    for (const name of Object.keys(settings)) expect(readProjectFile('.env.example')).toContain(`${name}=`);
  else expect(() => readConfig('worker', { ...needed, ...settings })).not.toThrow();
});

test('.ci/run checks the code as the pages say', () => {
  for (const text of ['npm run lint', 'npm run types', 'npm ci && npm test']) {
    expect(left).toContain(text);
    expect(readProjectFile('.ci/run')).toContain(text);
  }
});
