import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import type { Stage } from './stage.ts';

type Value = (stage: Stage) => string | Promise<string>;

const gateway: Value = ({ baseUrl }) => baseUrl;
const consumer: Value = (stage) => stage.consumer.url;
const text: Value = () => randomBytes(18).toString('hex');

/** What the test puts in the place of the addresses and placeholders of the pages. */
export const values: Readonly<Record<string, Value>> = {
  'http://127.0.0.1:8080': gateway,
  'https://<your gateway>': gateway,
  'https://hooks.example.com': gateway,
  'https://shop.example/hooks': consumer,
  'https://shop.example/new-hooks': consumer,
  'https://support.example/hooks': consumer,
  'https://consumer.example': consumer,
  'postgresql://…': () => freshDatabase(),
  '<URL>': () => migratedDatabase(),
  '<file>': backupOf,
  '<copy of the key>': ({ dataDir }) => join(dataDir, 'secrets/secrets-key'),
  '<seq>:<seal>': headOf,
  '<the new one>': text,
  '<the secret>': text,
  '<the client secret>': text,
  '<the app secret>': text,
  '<the verify token>': text,
  '<the key>': text,
  '<the signing secret>': text,
  '<signing key>': text,
  '<auth token>': text,
  '<signature secret>': text,
  '44782DEF547AAA06…': () => randomBytes(32).toString('hex').toUpperCase(),
  'whsec_…': () => `whsec_${randomBytes(32).toString('base64')}`,
  'MFkw…': () =>
    generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      .publicKey.export({ type: 'spki', format: 'der' })
      .toString('base64'),
};

/** The command with all of its values. */
export async function filledIn(command: string, stage: Stage): Promise<string> {
  let filled = command;
  for (const [placeholder, value] of Object.entries(values))
    if (filled.includes(placeholder)) filled = filled.replaceAll(placeholder, await value(stage));
  return filled;
}

/** The path of the newest backup, which an earlier command of the page has ordered. */
async function backupOf({ admin, dataDir }: Stage): Promise<string> {
  const name = await until('a backup is complete', async () => {
    const { body } = await admin.request('GET', '/admin/backups');
    return body.find((backup: { status: string }) => backup.status === 'completed')?.name;
  });
  return join(dataDir, 'backups', name);
}

async function headOf({ admin }: Stage): Promise<string> {
  const { body } = await admin.request('GET', '/admin/audit-logs/verify');
  return `${body.head.seq}:${body.head.seal}`;
}
