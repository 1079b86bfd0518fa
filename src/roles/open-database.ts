import { AccountEntity } from '../accounts/account-entity.ts';
import { ConsumerEntity } from '../consumers/consumer-entity.ts';
import { connectDatabase, type Database } from '../database/database.ts';
import { DestinationEntity } from '../notifications/destinations/destination-entity.ts';

type OpenOptions = Omit<Parameters<typeof connectDatabase>[0], 'entities'>;

/** Opens the gateway's connection pool with the entities of its stores. It connects at the first query. */
export function openDatabase(options: OpenOptions): Promise<Database> {
  return connectDatabase({ ...options, entities: [AccountEntity, ConsumerEntity, DestinationEntity] });
}

/** Runs `work` with a database that is closed afterwards. */
export async function withDatabase<T>(options: OpenOptions, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
