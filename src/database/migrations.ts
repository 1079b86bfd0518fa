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
import { Migration20261127001200_expand_incidents } from '../../migrations/Migration20261127001200_expand_incidents.ts';
import { Migration20261127001300_expand_index_of_failing_events } from '../../migrations/Migration20261127001300_expand_index_of_failing_events.ts';
import { Migration20261127001500_expand_marks_of_persons } from '../../migrations/Migration20261127001500_expand_marks_of_persons.ts';
import { Migration20261127001600_expand_index_of_marks } from '../../migrations/Migration20261127001600_expand_index_of_marks.ts';
import { Migration20261127002100_expand_actions_on_events } from '../../migrations/Migration20261127002100_expand_actions_on_events.ts';
import { Migration20261127003000_expand_paces_of_bulk_jobs } from '../../migrations/Migration20261127003000_expand_paces_of_bulk_jobs.ts';
import { Migration20261127003100_expand_jobs_of_events } from '../../migrations/Migration20261127003100_expand_jobs_of_events.ts';
import { Migration20261127003200_expand_index_of_jobs } from '../../migrations/Migration20261127003200_expand_index_of_jobs.ts';
import { Migration20261127003500_expand_kinds_of_destinations } from '../../migrations/Migration20261127003500_expand_kinds_of_destinations.ts';
import { Migration20261127003600_expand_incident_messages } from '../../migrations/Migration20261127003600_expand_incident_messages.ts';
import { Migration20261127004000_expand_failed_attempts } from '../../migrations/Migration20261127004000_expand_failed_attempts.ts';
import { Migration20261127004100_expand_series_of_failed_attempts } from '../../migrations/Migration20261127004100_expand_series_of_failed_attempts.ts';
import { Migration20261128000100_expand_order_of_the_feed } from '../../migrations/Migration20261128000100_expand_order_of_the_feed.ts';
import { Migration20261128000200_expand_index_of_the_feed } from '../../migrations/Migration20261128000200_expand_index_of_the_feed.ts';
import { Migration20261128000300_expand_ends_of_cursors } from '../../migrations/Migration20261128000300_expand_ends_of_cursors.ts';
import { Migration20261128000500_expand_admin_tokens } from '../../migrations/Migration20261128000500_expand_admin_tokens.ts';
import { Migration20261128000600_expand_scopes_of_bulk_jobs } from '../../migrations/Migration20261128000600_expand_scopes_of_bulk_jobs.ts';
import { Migration20261128001400_expand_checks_of_rejected_webhooks } from '../../migrations/Migration20261128001400_expand_checks_of_rejected_webhooks.ts';
import { Migration20261128001500_expand_actors_of_replays } from '../../migrations/Migration20261128001500_expand_actors_of_replays.ts';
import { Migration20261128001600_expand_headers_of_attempts } from '../../migrations/Migration20261128001600_expand_headers_of_attempts.ts';
import { Migration20261128001700_expand_index_of_due_events } from '../../migrations/Migration20261128001700_expand_index_of_due_events.ts';
import { Migration20261129000100_expand_index_of_audited_checks } from '../../migrations/Migration20261129000100_expand_index_of_audited_checks.ts';
import { Migration20261130000100_expand_names_of_the_queue } from '../../migrations/Migration20261130000100_expand_names_of_the_queue.ts';

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

/** The later migrations, oldest first. They are imported, so that a missing file is a type error. */
const laterMigrations = {
  Migration20261126000000_expand_processes,
  Migration20261126000100_expand_consumers,
  Migration20261126000200_expand_events_of_consumers,
  Migration20261126000300_expand_unmatched_consumers,
  Migration20261126000400_expand_pauses_of_accounts,
  Migration20261126000500_expand_counts_of_requests,
  Migration20261126000600_expand_backfills,
  Migration20261126000700_expand_indexes_of_consumers,
  Migration20261127001000_expand_ends_of_previous_secrets,
  Migration20261127001100_expand_rejected_uses_of_secrets,
  Migration20261127001200_expand_incidents,
  Migration20261127001300_expand_index_of_failing_events,
  Migration20261127001500_expand_marks_of_persons,
  Migration20261127001600_expand_index_of_marks,
  Migration20261127002100_expand_actions_on_events,
  Migration20261127003000_expand_paces_of_bulk_jobs,
  Migration20261127003100_expand_jobs_of_events,
  Migration20261127003200_expand_index_of_jobs,
  Migration20261127003500_expand_kinds_of_destinations,
  Migration20261127003600_expand_incident_messages,
  Migration20261127004000_expand_failed_attempts,
  Migration20261127004100_expand_series_of_failed_attempts,
  Migration20261128000100_expand_order_of_the_feed,
  Migration20261128000200_expand_index_of_the_feed,
  Migration20261128000300_expand_ends_of_cursors,
  Migration20261128000500_expand_admin_tokens,
  Migration20261128000600_expand_scopes_of_bulk_jobs,
  Migration20261128001400_expand_checks_of_rejected_webhooks,
  Migration20261128001500_expand_actors_of_replays,
  Migration20261128001600_expand_headers_of_attempts,
  Migration20261128001700_expand_index_of_due_events,
  Migration20261129000100_expand_index_of_audited_checks,
  Migration20261130000100_expand_names_of_the_queue,
};

/** All migrations, oldest first. */
export const migrations: readonly NamedMigration[] = [
  firstMigration,
  ...Object.entries(laterMigrations).map(([name, Class]) => ({ name, class: Class })),
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
