import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { type VariableName, variables } from '../../src/config/environment.ts';
import { readProjectFile, settingNames } from '../docker/files.ts';
import { chartFolder, refusedValues, valuesFiles } from './chart-values.ts';

const read = (path: string) => readFileSync(join(chartFolder, path), 'utf8');
const chart = z.looseObject({ version: z.string(), appVersion: z.string() }).parse(parse(read('Chart.yaml')));
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readProjectFile('package.json')));
const tree = z.record(z.string(), z.unknown());
type Tree = z.infer<typeof tree>;
const defaults = tree.parse(parse(read('values.yaml')));
const schema = tree.parse(JSON.parse(read('values.schema.json')));
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
const templates = readdirSync(join(chartFolder, 'templates')).map((name) => read(`templates/${name}`));

const isTree = (value: unknown): value is Tree => tree.safeParse(value).success;

/** Values over the defaults, as Helm puts them together: maps are merged, null removes. */
function merged(base: Tree, over: Tree): Tree {
  const all: Tree = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const below = all[name];
    if (value === null) delete all[name];
    else all[name] = isTree(below) && isTree(value) ? merged(below, value) : value;
  }
  return all;
}

/** The paths of all values, without those of maps that are empty by default. */
const pathsOf = (values: Tree, prefix = ''): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    isTree(value) && Object.keys(value).length > 0 ? pathsOf(value, `${prefix}${name}.`) : [`${prefix}${name}`],
  );

const minimal = merged(defaults, tree.parse(parse(readFileSync(pathOf('minimal'), 'utf8'))));

function pathOf(name: string): string {
  const found = valuesFiles.find((file) => file.name === name);
  if (!found) throw new Error(`there is no file ${name}`);
  return found.path;
}

/** `a.b=c` as Helm's --set reads it, for the forms of `refusedValues`. */
function withSet(values: Tree, set: string): Tree {
  const [path = '', text = ''] = set.split(/=(.*)/s);
  const value = text.startsWith('{') ? text.slice(1, -1).split(',') : (parse(text) ?? '');
  return merged(
    values,
    path
      .split('.')
      .reduceRight<Tree>((below, name, index, all) => ({ [name]: index === all.length - 1 ? value : below }), {}),
  );
}

test('the chart has the version of the project, and so has the image by default', () => {
  expect([chart.version, chart.appVersion]).toEqual([version, version]);
  expect(defaults).toMatchObject({ image: { repository: 'webhook-gateway', tag: '', digest: '' } });
});

describe('the schema of the values', () => {
  test.each(valuesFiles)('accepts test/helm/values/$name.yaml', ({ path }) => {
    validate(merged(defaults, tree.parse(parse(readFileSync(path, 'utf8')))));
    expect(validate.errors).toBeNull();
  });

  test.each(refusedValues.filter(({ bySchema }) => bySchema))('refuses $set', ({ set }) => {
    validate(withSet(minimal, set));
    expect(validate.errors).not.toBeNull();
  });

  test('refuses what is required and missing', () => {
    for (const name of ['existingSecret', 'temporal']) {
      const { [name]: _, ...rest } = minimal;
      expect(validate(rest)).toBe(false);
    }
  });

  test('knows every value of values.yaml, and refuses an unknown one next to each', () => {
    for (const path of pathsOf(defaults).filter((one) => one.includes('.'))) {
      const parents = path.split('.').slice(0, -1);
      // Kubernetes' own structures, and maps of the operator.
      if (/resources\.|ecurityContext|labels$/.test(parents.join('.') + (parents.includes('resources') ? '.' : '')))
        continue;
      if (parents.some((name) => name === 'labels')) continue;
      const wrong = merged(
        minimal,
        [...parents, 'unknownValue'].reduceRight<Tree>((below, name) => ({ [name]: below }), {}),
      );
      expect(validate(wrong), parents.join('.')).toBe(false);
    }
  });
});

describe('the templates', () => {
  /** Names of variables, in the strings of the templates. */
  const named = new Set(
    templates.flatMap((text) =>
      [...text.matchAll(/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|HOST|PORT)"/g)].map(([, name = '']) => name),
    ),
  );

  test('set only variables that the gateway reads', () => {
    expect(named.size).toBeGreaterThan(20);
    const known = new Set(settingNames());
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
  });

  const [, picked = ''] = /\(pick \.Values\.config ([^)]*)\)/.exec(read('templates/migration.yaml')) ?? [];
  const ofMigrate = [...picked.matchAll(/"(\w+)"/g)].map(([, name = '']) => name);
  const taken = (name: string) => validate(merged(minimal, { config: { [name]: 'x' } }));

  test('pass the job migrate each variable of config that it uses', () => {
    const used = (Object.keys(variables) as VariableName[]).filter((name) => variables[name].roles.includes('migrate'));
    expect(used.filter(taken)).toEqual(ofMigrate);
  });

  test('config takes every variable that has no value of its own, and no secret', () => {
    const owned = new Set([...named].filter((name) => !ofMigrate.includes(name)));
    const ofOneMachine = ['DATA_DIR', 'TEMPORAL_UI_PORT', 'TEMPORAL_RETENTION_HOURS'];
    for (const name of settingNames().filter((one) => !ofOneMachine.includes(one)))
      expect(taken(name), name).toBe(!owned.has(name) && !/_CLIENT_(CERT|KEY)_DATA/.test(name));
  });

  test('contain no secret, and take each from the Secret of the operator', () => {
    const secrets = [
      'DATABASE_URL',
      'SECRETS_KEY',
      'SECRETS_KEY_PREVIOUS',
      'ADMIN_TOKEN',
      'ADMIN_TOKENS',
      'TEMPORAL_API_KEY',
    ];
    for (const text of templates)
      for (const [line] of text.matchAll(new RegExp(`^.*"(?:${secrets.join('|')})".*$`, 'gm')))
        expect(line).toMatch(/"(secrets|optionalSecrets)" \((?:concat \()?list "|^\{\{- list "/);
    expect(templates.join('\n')).not.toMatch(/kind: Secret$/m);
  });

  test('use every value of values.yaml', () => {
    const text = templates.join('\n');
    const unused = pathsOf(defaults).filter((path) => !new RegExp(`\\.${path.split('.').at(-1)}\\b`).test(text));
    // Values of Kubernetes' own structures are passed on as a whole.
    expect(unused.filter((path) => !/resources\.|ecurityContext\.|labels\.|^workers\.default$/.test(path))).toEqual([]);
  });

  test('give pods longer than the program takes to end, at least', () => {
    const drain = 45;
    expect(defaults.terminationGracePeriodSeconds).toBeGreaterThan(drain);
    expect(validate(merged(minimal, { terminationGracePeriodSeconds: drain + 4 }))).toBe(false);
  });

  test('name only parameters that KEDA documents for its temporal trigger', () => {
    // https://keda.sh/docs/2.21/scalers/temporal/
    const documented = [
      ...['endpoint', 'namespace', 'taskQueue', 'queueTypes', 'targetQueueSize', 'activationTargetQueueSize'],
      ...[
        'workerDeploymentName',
        'workerDeploymentBuildId',
        'minConnectTimeout',
        'unsafeSsl',
        'tlsServerName',
        'enableTLS',
      ],
    ];
    const [, trigger = ''] =
      /- type: temporal\n {6}metadata:\n([\s\S]*?)\n {6}\{\{- if/.exec(read('templates/_autoscaling.tpl')) ?? [];
    const names = [...trigger.matchAll(/^ {8}(\w+):/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(5);
    expect(documented).toEqual(expect.arrayContaining(names));
  });
});

test('the rules and the dashboard of the chart are those of deploy/', () => {
  expect(read('files/rules.yml')).toBe(readProjectFile('deploy/prometheus/rules.yml'));
  expect(read('files/dashboard.json')).toBe(readProjectFile('deploy/grafana/dashboard.json'));
  // Helm's `replace` puts the address there.
  expect(read('files/rules.yml').match(/runbook_url: docs\//g)?.length).toBeGreaterThan(10);
});
