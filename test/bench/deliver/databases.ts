import pg from 'pg';
import { temporaryPostgres } from '../processes.ts';
import { fillDatabase } from './filled.ts';

interface OwnDatabase {
  url: string;
  query<Row extends object>(text: string): Promise<Row[]>;
  drop(): Promise<void>;
}

/**
 * @param options `filled`: the events in each database, 0 for empty ones; `checkout`: see `fillDatabase`
 */
export async function startDatabases(options: { filled: number; checkout: string | null }) {
  const postgres = await temporaryPostgres();
  const server = new pg.Pool({ connectionString: postgres.url, max: 1 });
  const urlOf = (name: string) => Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
  let created = 0;
  const create = async (template: string): Promise<OwnDatabase> => {
    const name = `bench_${++created}`;
    await server.query(`create database ${name} template ${template} strategy file_copy`);
    const pool = new pg.Pool({ connectionString: urlOf(name), max: 2 });
    return {
      url: urlOf(name),
      query: async (text) => (await pool.query(text)).rows,
      async drop() {
        await pool.end();
        await server.query(`drop database ${name} with (force)`);
      },
    };
  };
  let template = 'template0';
  if (options.filled > 0) {
    const first = await create(template);
    await fillDatabase(first.url, options.filled, options.checkout);
    template = new URL(first.url).pathname.slice(1);
  }
  return {
    /** The settings that make a commit durable can be read here. */
    url: postgres.url,
    create: () => create(template),
    async stop() {
      await server.end();
      await postgres.stop();
    },
  };
}

/** A PostgreSQL with a new database for each gateway. */
export type Databases = Awaited<ReturnType<typeof startDatabases>>;
