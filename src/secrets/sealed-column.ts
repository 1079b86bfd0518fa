import type { SecretPlace } from './secret-box.ts';

/** A column of boxes (secret-box.ts), as a walk over all of them needs to know it. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key's columns with their types, in its order. */
  key: Readonly<Record<string, 'uuid' | 'integer' | 'text'>>;
  /** The columns that say where a box lives. */
  placeColumns: readonly string[];
  /** Where the box of a row lives; `row` has the `placeColumns` as texts. */
  placeOf(row: Readonly<Record<string, string>>): SecretPlace;
}

/** `accounts.delivery_secret`, for people. */
export const nameOf = ({ table, column }: Pick<SealedColumn, 'table' | 'column'>): string => `${table}.${column}`;
