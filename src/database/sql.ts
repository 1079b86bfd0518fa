import type pg from 'pg';

/** A statement of the hot path. `name` makes PostgreSQL plan it once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** What the stores need of a database. */
export interface Sql {
  query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
}

/** What the stores need where several statements belong together. */
export interface Transactions extends Sql {
  /** Runs `work` in one transaction on one connection; rolls back when it throws. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}
