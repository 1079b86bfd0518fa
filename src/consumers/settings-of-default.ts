import type { EntityManager } from '@mikro-orm/postgresql';
import type { SettingsOfDefault } from '../accounts/delivery-secrets.ts';
import { ConsumerEntity } from './consumer-entity.ts';
import { newRowOfDefault } from './consumer-rows.ts';

const rowOf = (em: EntityManager, accountId: string) => em.findOne(ConsumerEntity, { id: accountId });

/** The encrypted settings of `default`, for the store of accounts. */
export const settingsOfDefault: SettingsOfDefault = {
  async read(em, accountId) {
    return (await rowOf(em, accountId))?.sealed_options ?? null;
  },
  async write(tx, account, sealed) {
    const row = (await rowOf(tx, account.id)) ?? newRowOfDefault(tx, account);
    row.sealed_options = sealed;
    row.updated_at = new Date();
    await tx.persist(row).flush();
  },
};
