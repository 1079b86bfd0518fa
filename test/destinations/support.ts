import { AccountStore } from '../../src/accounts/account-store.ts';
import { settingsOfDefault } from '../../src/consumers/settings-of-default.ts';
import { stopEventsOf } from '../../src/events/transitions/account-deleted.ts';
import type { Destination, DestinationCreated } from '../../src/notifications/destinations/destination-store.ts';
import { DestinationStore } from '../../src/notifications/destinations/destination-store.ts';
import { providers } from '../../src/providers/registry.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { createLog } from '../../src/shared/log.ts';
import { migratedDatabase } from '../support/database.ts';
import { randomKeyring } from '../support/keyring.ts';
import { useForAll } from '../support/use.ts';

/** Opens the stores on a new, migrated database, without HTTP. */
async function openStores() {
  const log = createLog('fatal');
  const url = await migratedDatabase();
  const database = await openDatabase({ url, log });
  const em = () => database.orm.em.fork();
  const box = createSecretBox(randomKeyring());
  const accounts = new AccountStore({ em, box, stopDeliveries: stopEventsOf, settingsOfDefault, providers });
  let made = 0;
  return {
    ...{ database, url, accounts, box },
    destinations: new DestinationStore({ em, box }),
    /** A store with another secrets key. */
    withOtherKey: new DestinationStore({ em, box: createSecretBox(randomKeyring()) }),
    /** Creates an account and returns its id. */
    async newAccount() {
      const write = await accounts.create({ provider: 'generic', account_slug: `a-${++made}`, app_key: 'tests' });
      if (!write.ok) throw new Error(write.reason);
      return write.account.id;
    },
  };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

/** The same stores for all tests of a file. */
export const useStores = (): Stores => useForAll(openStores, ({ database }) => database.close());

/** The created destination. Throws if it was refused. */
export function made(created: DestinationCreated): Destination {
  if (!created.ok) throw new Error(created.reason);
  return created.destination;
}
