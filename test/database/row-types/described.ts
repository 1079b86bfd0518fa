import type pg from 'pg';
import type { Kind } from './declared.ts';

/** A column in the result of a statement. */
export interface Column {
  name: string;
  kind: Kind;
  /** The name of the type in PostgreSQL. */
  type: string;
}

/** The JavaScript types to which node-postgres converts PostgreSQL types; all others become strings. */
const kinds: Record<string, Kind> = {
  ...{ int2: 'number', int4: 'number', float4: 'number', float8: 'number', oid: 'number', bool: 'boolean' },
  ...{ date: 'Date', timestamp: 'Date', timestamptz: 'Date', bytea: 'Buffer', json: 'json', jsonb: 'json' },
};

/** Sends the messages of the protocol that describe a statement without running it. */
class Description implements pg.Submittable {
  readonly columns: Promise<{ name: string; dataTypeID: number }[]>;
  readonly #text: string;
  #fields: { name: string; dataTypeID: number }[] = [];
  #done: (columns: { name: string; dataTypeID: number }[]) => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  constructor(text: string) {
    this.#text = text;
    this.columns = new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
    });
  }

  submit(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#fields = fields;
  }

  handleError(error: Error): void {
    this.#failed(error);
  }

  handleReadyForQuery(): void {
    this.#done(this.#fields);
  }
}

/** The columns of a statement, from the server's description. @throws the server's error about the statement. */
export async function describeStatement(client: pg.ClientBase, text: string): Promise<Column[]> {
  const description = client.query(new Description(text));
  const columns = await description.columns;
  const { rows } = await client.query<{ oid: number; name: string; element: string | null }>(
    `select t.oid, t.typname as name, e.typname as element from pg_type t
     left join pg_type e on e.oid = t.typelem and t.typcategory = 'A' where t.oid = any($1)`,
    [columns.map(({ dataTypeID }) => dataTypeID)],
  );
  return columns.map(({ name, dataTypeID }) => {
    const type = rows.find(({ oid }) => oid === dataTypeID);
    const kind = type?.element ? `${kinds[type.element] ?? 'string'}[]` : (kinds[type?.name ?? ''] ?? 'string');
    return { name, kind, type: type?.name ?? String(dataTypeID) };
  });
}
