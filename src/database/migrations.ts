import type { Migration } from '@mikro-orm/migrations';
import { Migration20261123000000_schema } from '../../migrations/Migration20261123000000_schema.ts';
import { Migration20261126000000_expand_processes } from '../../migrations/Migration20261126000000_expand_processes.ts';
import { Migration20261126000100_expand_consumers } from '../../migrations/Migration20261126000100_expand_consumers.ts';
import { Migration20261126000200_expand_events_of_consumers } from '../../migrations/Migration20261126000200_expand_events_of_consumers.ts';
import { Migration20261126000300_expand_unmatched_consumers } from '../../migrations/Migration20261126000300_expand_unmatched_consumers.ts';
import { Migration20261126000400_expand_pauses_of_accounts } from '../../migrations/Migration20261126000400_expand_pauses_of_accounts.ts';
import { Migration20261126000500_expand_counts_of_requests } from '../../migrations/Migration20261126000500_expand_counts_of_requests.ts';
import { Migration20261126000600_expand_backfills } from '../../migrations/Migration20261126000600_expand_backfills.ts';
import { Migration20261126000700_expand_indexes_of_consumers } from '../../migrations/Migration20261126000700_expand_indexes_of_consumers.ts';
import { Migration20261127001000_expand_ends_of_previous_secrets } from '../../migrations/Migration20261127001000_expand_ends_of_previous_secrets.ts';
import { Migration20261127001100_expand_rejected_uses_of_secrets } from '../../migrations/Migration20261127001100_expand_rejected_uses_of_secrets.ts';

/** A migration, and the name under which MikroORM records it in `mikro_orm_migrations`. */
export interface NamedMigration {
  name: string;
  class: new (...parameters: ConstructorParameters<typeof Migration>) => Migration;
}

/** The whole schema. Later migrations change it. */
export const firstMigration: NamedMigration = {
  name: 'Migration20261123000000_schema',
  class: Migration20261123000000_schema,
};

/** All migrations, oldest first. They are imported, so that a missing file is a type error. */
export const migrations: readonly NamedMigration[] = [
  firstMigration,
  { name: 'Migration20261126000000_expand_processes', class: Migration20261126000000_expand_processes },
  { name: 'Migration20261126000100_expand_consumers', class: Migration20261126000100_expand_consumers },
  {
    name: 'Migration20261126000200_expand_events_of_consumers',
    class: Migration20261126000200_expand_events_of_consumers,
  },
  {
    name: 'Migration20261126000300_expand_unmatched_consumers',
    class: Migration20261126000300_expand_unmatched_consumers,
  },
  {
    name: 'Migration20261126000400_expand_pauses_of_accounts',
    class: Migration20261126000400_expand_pauses_of_accounts,
  },
  {
    name: 'Migration20261126000500_expand_counts_of_requests',
    class: Migration20261126000500_expand_counts_of_requests,
  },
  { name: 'Migration20261126000600_expand_backfills', class: Migration20261126000600_expand_backfills },
  {
    name: 'Migration20261126000700_expand_indexes_of_consumers',
    class: Migration20261126000700_expand_indexes_of_consumers,
  },
  {
    name: 'Migration20261127001000_expand_ends_of_previous_secrets',
    class: Migration20261127001000_expand_ends_of_previous_secrets,
  },
  {
    name: 'Migration20261127001100_expand_rejected_uses_of_secrets',
    class: Migration20261127001100_expand_rejected_uses_of_secrets,
  },
];

/**
 * - `expand`: adds what a later release uses, and leaves what older releases use
 * - `contract`: removes what no supported release uses any more; `oldestRelease` is the oldest one that can run without
 */
export type SchemaChange = { kind: 'expand' } | { kind: 'contract'; oldestRelease: string };

/**
 * What a migration after the first one does to running releases. Its name says it, such as
 * `Migration20270131120000_expand_colour` or `Migration20270201120000_contract_0_4_0_colour`. So a release can judge the
 * migrations of a later one, of which it sees only the names that are recorded.
 *
 * @returns null for a name of another form.
 */
export function changeOf(name: string): SchemaChange | null {
  const [, change, ...numbers] = /^Migration\d{14}_(expand|contract_(\d+)_(\d+)_(\d+))_[a-z_]+$/.exec(name) ?? [];
  if (change === undefined) return null;
  return change === 'expand' ? { kind: 'expand' } : { kind: 'contract', oldestRelease: numbers.join('.') };
}
