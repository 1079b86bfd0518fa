import { join } from 'node:path';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { backUp } from '../backups/support.ts';
import { startConsumer } from '../support/consumer.ts';
import { slowDelaysMs, startGateway } from '../support/gateway.ts';
import { spawnGateway, temporaryFolder } from '../support/gateway-process.ts';
import { secretsKeyOf } from '../support/keyring.ts';
import { secretText } from '../support/secrets.ts';
import { openWorkflows } from '../support/workflows.ts';

/** Runs `npm run restore -- …` until it ends. */
export async function restored(args: string[], variables: Record<string, string | undefined> = {}) {
  const gateway = spawnGateway('restore', { BACKUP_DIR: undefined, ...variables }, args);
  const { code } = await gateway.exited;
  return { code, stdout: gateway.stdout(), stderr: gateway.stderr() };
}

/** A backup of a gateway with three events: one delivered, one after its first failure, and one without an attempt. */
export async function backedUp({ encrypt = true } = {}) {
  const consumer = await startConsumer(200, 500);
  const gateway = await startGateway({ delaysMs: slowDelaysMs });
  const account = await gateway.admin.createAccount({
    delivery_url: consumer.url,
    delivery_secret: secretText('a-secret'),
  });
  const receive = async (id: string): Promise<string> => (await gateway.send(account, JSON.stringify({ id }))).body.id;
  const delivered = await receive('delivered');
  await gateway.admin.eventually(delivered, (event) => event.delivery_status === 'delivered');
  const failing = await receive('failing');
  await gateway.admin.eventually(failing, (event) => event.attempts === 1 && event.workflow !== null);
  await gateway.stopWorker();
  const workflows = await openWorkflows(gateway);
  // As if the gateway used another Temporal.
  await workflows.terminate(failing);
  await workflows.close();
  const untried = await receive('untried');
  const dir = join(temporaryFolder('test'), 'backups');
  const { keyring } = gateway;
  const { name } = await backUp(gateway.databaseUrl, openDirectoryStore(dir), { keyring, encrypt });
  await gateway.stop();
  await consumer.close();
  const key = secretsKeyOf(keyring);
  return {
    dir,
    name,
    file: join(dir, name),
    delivered,
    failing,
    untried,
    ...{ key, keyring },
    port: consumer.port,
    accountId: account.id,
  };
}

/** The names of all tables: empty if nothing was written. */
export const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace`;
