import { Migration20261120000000_initial } from '../../migrations/Migration20261120000000_initial.ts';
import { Migration20261120000001_locked_changes } from '../../migrations/Migration20261120000001_locked_changes.ts';

/** Every migration, oldest first. The list is in code, so that a forgotten file is a type error and not a surprise. */
export const migrations = [
  { name: 'Migration20261120000000_initial', class: Migration20261120000000_initial },
  { name: 'Migration20261120000001_locked_changes', class: Migration20261120000001_locked_changes },
];
