import { Migration20261123000000_schema } from '../../migrations/Migration20261123000000_schema.ts';

/** All migrations, oldest first. They are imported, so that a missing file is a type error. */
export const migrations = [{ name: 'Migration20261123000000_schema', class: Migration20261123000000_schema }];
