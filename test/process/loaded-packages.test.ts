import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gatewaysEndWithTheirTest, spawnGateway, temporaryFolder } from '../support/gateway-process.ts';
import { gatewayRoles } from '../support/gateway-roles.ts';
import { packagesFile } from '../support/record-packages.ts';

gatewaysEndWithTheirTest();

/** Runs a role with settings that end its start, and returns its error and the packages that it has loaded. */
async function failedStart(role: 'all' | 'api' | 'worker', variables: Record<string, string | undefined>) {
  const file = join(temporaryFolder('test'), 'packages');
  const recorder = new URL('../support/record-packages.ts', import.meta.url);
  const gateway = spawnGateway(role, {
    ...{ PORT: '0', NODE_OPTIONS: `--import=${recorder}`, [packagesFile]: file },
    ...variables,
  });
  const { code } = await gateway.exited;
  expect(code).toBe(1);
  return { error: gateway.stderr(), packages: readFileSync(file, 'utf8').split('\n') };
}

test('npm start checks its data folder before it loads what its programs need', async () => {
  const foreign = temporaryFolder();
  writeFileSync(join(foreign, 'thesis.txt'), 'years of work');
  const { error, packages } = await failedStart('all', { DATA_DIR: foreign });
  expect(error).toContain('thesis.txt');
  expect(packages).toContain('zod');
  for (const heavy of ['elysia', '@temporalio/worker', '@mikro-orm/core']) expect(packages).not.toContain(heavy);
});

test.each([
  // Its programs need these, and it only starts them.
  { role: 'all', used: ['zod'], unused: ['elysia', '@mikro-orm/core', '@temporalio/worker'] },
  { role: 'api', used: ['elysia', '@mikro-orm/core'], unused: ['@temporalio/worker'] },
  { role: 'worker', used: ['@temporalio/worker', '@mikro-orm/core'], unused: ['elysia'] },
] as const)('$role: libraries that the settings do not need are not loaded', async ({ role, used, unused }) => {
  const { variables } = gatewayRoles({ databaseUrl: 'postgresql://someone@127.0.0.1:1/db' });
  const { error, packages } = await failedStart(role, { ...variables, DATA_DIR: temporaryFolder() });
  expect(error).toContain('127.0.0.1:1');
  for (const name of used) expect(packages).toContain(name);
  for (const name of unused) expect(packages).not.toContain(name);
  // Those of BACKUP_URL, SENDGRID_API_KEY, e-mails and traces. The library of the metrics loads OpenTelemetry's small API.
  expect(
    packages.filter((name) => /^@aws-sdk\/|^@smithy\/|^@sendgrid\/|^nodemailer$|^@opentelemetry\/(?!api$)/.test(name)),
  ).toEqual([]);
});
