import type { SecretPlace } from './secret-box.ts';

/** A database column with boxes (secret-box.ts), described for reading all of them. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The columns of the primary key with their types, in its order. */
  key: Readonly<Record<string, 'uuid' | 'integer' | 'text'>>;
  /** The columns from which the place of a box is computed. */
  placeColumns: readonly string[];
  /** The place that the box of a row is bound to; `row` has the `placeColumns` as texts. */
  placeOf(row: Readonly<Record<string, string>>): SecretPlace;
}

/** The display name of a column, such as `accounts.delivery_secret`. */
export const nameOf = ({ table, column }: Pick<SealedColumn, 'table' | 'column'>): string => `${table}.${column}`;
