import { Migration20261120000000_initial } from '../../migrations/Migration20261120000000_initial.ts';
import { Migration20261120000001_locked_changes } from '../../migrations/Migration20261120000001_locked_changes.ts';
import { Migration20261121000000_event_lists } from '../../migrations/Migration20261121000000_event_lists.ts';
import { Migration20261121000000_event_statistics } from '../../migrations/Migration20261121000000_event_statistics.ts';
import { Migration20261121000000_replay_failed } from '../../migrations/Migration20261121000000_replay_failed.ts';
import { Migration20261121000001_audit } from '../../migrations/Migration20261121000001_audit.ts';
import { Migration20261121000002_destinations } from '../../migrations/Migration20261121000002_destinations.ts';
import { Migration20261121000003_stopped_accounts } from '../../migrations/Migration20261121000003_stopped_accounts.ts';
import { Migration20261121000004_notifications } from '../../migrations/Migration20261121000004_notifications.ts';
import { Migration20261121000005_retention } from '../../migrations/Migration20261121000005_retention.ts';
import { Migration20261121000006_backups } from '../../migrations/Migration20261121000006_backups.ts';
import { Migration20261121000007_provider_config } from '../../migrations/Migration20261121000007_provider_config.ts';
import { Migration20261121000008_gone_events } from '../../migrations/Migration20261121000008_gone_events.ts';
import { Migration20261122000000_backups } from '../../migrations/Migration20261122000000_backups.ts';
import { Migration20261122000000_rejected } from '../../migrations/Migration20261122000000_rejected.ts';
import { Migration20261122050000_edges } from '../../migrations/Migration20261122050000_edges.ts';
import { Migration20261122050000_secrets } from '../../migrations/Migration20261122050000_secrets.ts';

/** Every migration, oldest first. The list is in code, so that a forgotten file is a type error and not a surprise. */
export const migrations = [
  { name: 'Migration20261120000000_initial', class: Migration20261120000000_initial },
  { name: 'Migration20261120000001_locked_changes', class: Migration20261120000001_locked_changes },
  { name: 'Migration20261121000000_event_lists', class: Migration20261121000000_event_lists },
  { name: 'Migration20261121000000_event_statistics', class: Migration20261121000000_event_statistics },
  { name: 'Migration20261121000000_replay_failed', class: Migration20261121000000_replay_failed },
  { name: 'Migration20261121000001_audit', class: Migration20261121000001_audit },
  { name: 'Migration20261121000002_destinations', class: Migration20261121000002_destinations },
  { name: 'Migration20261121000003_stopped_accounts', class: Migration20261121000003_stopped_accounts },
  { name: 'Migration20261121000004_notifications', class: Migration20261121000004_notifications },
  { name: 'Migration20261121000005_retention', class: Migration20261121000005_retention },
  { name: 'Migration20261121000006_backups', class: Migration20261121000006_backups },
  { name: 'Migration20261121000007_provider_config', class: Migration20261121000007_provider_config },
  { name: 'Migration20261121000008_gone_events', class: Migration20261121000008_gone_events },
  { name: 'Migration20261122000000_backups', class: Migration20261122000000_backups },
  { name: 'Migration20261122000000_rejected', class: Migration20261122000000_rejected },
  { name: 'Migration20261122050000_edges', class: Migration20261122050000_edges },
  { name: 'Migration20261122050000_secrets', class: Migration20261122050000_secrets },
];
