import { AccountEntity } from '../accounts/account-entity.ts';
import { connectDatabase, type Database } from '../database/database.ts';
import { DestinationEntity } from '../notifications/destinations/destination-entity.ts';

/** Opens the gateway's connection pool with the entities of its stores. It connects at the first query. */
export function openDatabase(options: Omit<Parameters<typeof connectDatabase>[0], 'entities'>): Promise<Database> {
  return connectDatabase({ ...options, entities: [AccountEntity, DestinationEntity] });
}
