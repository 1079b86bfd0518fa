import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { setCurrentBuild } from '../../src/temporal/deployment.ts';
import { roleHere } from '../support/role-here.ts';
import { connectTo } from '../support/temporal-connection.ts';
import { forTest } from '../support/use.ts';

const build = (name = `promote-${randomBytes(6).toString('hex')}`) => ({
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  TEMPORAL_DEPLOYMENT_NAME: name,
  TEMPORAL_WORKER_BUILD_ID: 'one',
});

/** What the command says when it fails. */
async function refusal(variables: Record<string, string>, args: string[] = []): Promise<string> {
  const role = roleHere('promote', variables, args);
  const { code } = await role.exited;
  expect(code).toBe(1);
  expect(role.stderr()).not.toMatch(/^\s+at /m);
  return role.stderr();
}

test('a namespace that does not exist is named, without a wait for workers', async () => {
  expect(await refusal({ ...build(), TEMPORAL_NAMESPACE: 'nowhere' })).toContain(
    "Temporal has no namespace 'nowhere': correct TEMPORAL_NAMESPACE, or create it.",
  );
});

test('--unversioned for a deployment without workers says that nothing has to change', async () => {
  expect(await refusal(build('unknown-deployment'), ['--unversioned'])).toContain(
    "Temporal does not know 'unknown-deployment': no worker with a build has run yet",
  );
});

test("another refusal is shown in Temporal's own words", async () => {
  expect(await refusal({ ...build(), TEMPORAL_NAMESPACE: 'n'.repeat(1_200) })).toMatch(/refuses the call: .*amespace/);
});

test('a Temporal that is down, or something else at its address, is told as such', async () => {
  // A port that other tests do not take: they take free ones.
  const address = '127.0.0.1:1';
  expect(await refusal({ ...build(), TEMPORAL_ADDRESS: address })).toContain(
    `Temporal cannot be reached at ${address}`,
  );
  const other = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const port = (other.address() as AddressInfo).port;
  expect(await refusal({ ...build(), TEMPORAL_ADDRESS: `127.0.0.1:${port}` })).toContain('Temporal cannot be reached');
});

test('a build without workers is an error that says to start them, after the limit', async () => {
  const connection = await forTest(connectTo(inject('temporalAddress')));
  const deployment = { connection, namespace: 'default', deploymentName: build().TEMPORAL_DEPLOYMENT_NAME };
  await expect(setCurrentBuild(deployment, 'one', 100)).rejects.toThrow(
    /No worker of the build 'one' of 'promote-\w+' runs. Start its workers first./,
  );
});
