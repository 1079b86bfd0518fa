import { sealConfig } from '../../src/accounts/provider-settings.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import type { TestGateway } from './gateway.ts';
import { rows } from './stored.ts';

/** Stores a `provider_config` as an older release did, without the rules of this one. */
export async function storeConfig(
  { database, keyring }: Pick<TestGateway, 'database' | 'keyring'>,
  accountId: string,
  config: Record<string, unknown>,
): Promise<void> {
  const sealed = sealConfig(createSecretBox(keyring), accountId, config);
  await rows(database, 'update accounts set provider_config = $2 where id = $1', [accountId, sealed]);
}
