import type pg from 'pg';

/** A statement. With a `name`, PostgreSQL prepares it once per connection; with an empty one, every time. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs single statements. */
export interface Sql {
  query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
}

/** Runs single statements and transactions. */
export interface Transactions extends Sql {
  /** Runs `work` in one transaction on one connection; rolls back when it throws. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}
