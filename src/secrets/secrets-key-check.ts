import { randomUUID } from 'node:crypto';
import type { Sql } from '../database/database.ts';
import { StartError } from '../start-error.ts';
import type { SecretBox } from './secret-box.ts';

const place = { accountId: 'gateway', field: 'secrets_key_check' };

const keepCheck = {
  name: 'keep_secrets_key_check',
  text: `insert into gateway_settings (key, value) values ('secrets_key_check', $1) on conflict (key) do nothing`,
};
const readCheck = {
  name: 'read_secrets_key_check',
  text: `select value from gateway_settings where key = 'secrets_key_check'`,
};

/**
 * Makes sure that SECRETS_KEY is the key that this database's secrets were sealed with: with another one no webhook would
 * verify and no delivery could be signed, one by one and without a word.
 *
 * @throws StartError when it is another key.
 */
export async function checkSecretsKey(sql: Sql, box: SecretBox): Promise<void> {
  await sql.query(keepCheck, [box.seal(randomUUID(), place)]);
  const [row] = await sql.query<{ value: Buffer }>(readCheck, []);
  if (!row || box.open(row.value, place) === null) {
    throw new StartError(
      'SECRETS_KEY is not the key that the secrets in this database were encrypted with. Set the one that was used before: ' +
        'without it no webhook can be verified and no delivery signed.',
    );
  }
}
