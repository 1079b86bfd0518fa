import { AccountEntity } from '../accounts/account-entity.ts';
import { connectDatabase, type Database } from '../database/database.ts';
import { DestinationEntity } from '../destinations/destination-entity.ts';

/** Opens the connection pool of a gateway, with the entities of its stores. The first query connects. */
export function openDatabase(options: Omit<Parameters<typeof connectDatabase>[0], 'entities'>): Promise<Database> {
  return connectDatabase({ ...options, entities: [AccountEntity, DestinationEntity] });
}
