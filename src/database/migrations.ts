import { Migration20261123000000_schema } from '../../migrations/Migration20261123000000_schema.ts';

/** Every migration, oldest first. The list is in code, so that a forgotten file is a type error and not a surprise. */
export const migrations = [{ name: 'Migration20261123000000_schema', class: Migration20261123000000_schema }];
