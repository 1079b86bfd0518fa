import { Migration20261120000000_initial } from '../../migrations/Migration20261120000000_initial.ts';

/** Every migration, oldest first. The list is in code, so that a forgotten file is a type error and not a surprise. */
export const migrations = [{ name: 'Migration20261120000000_initial', class: Migration20261120000000_initial }];
