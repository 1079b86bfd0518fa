import { DestinationStore } from '../../src/notifications/destinations/destination-store.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import type { TestGateway } from './gateway.ts';
import { rows } from './stored.ts';

// Addresses that are refused when they are saved, as if they had been allowed then.

/** Stores the `delivery_url` of an account. */
export async function storeDeliveryUrl(
  { database }: Pick<TestGateway, 'database'>,
  accountId: string,
  url: string,
): Promise<void> {
  await rows(database, 'update accounts set delivery_url = $2 where id = $1', [accountId, url]);
}

/** Stores the config of a destination. */
export async function storeDestinationConfig(
  { database, keyring }: Pick<TestGateway, 'database' | 'keyring'>,
  accountId: string,
  id: string,
  config: Record<string, string>,
): Promise<void> {
  const store = new DestinationStore({ em: () => database.orm.em.fork(), box: createSecretBox(keyring) });
  const written = await store.update(accountId, id, { config });
  if (!written.ok) throw new Error(`the config was not stored: ${written.reason}`);
}
