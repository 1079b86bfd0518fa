import { runCommand } from '../../../src/embedded/run-command.ts';
import type { TemporalSettings } from './config.ts';

/** The schema of an empty database takes a few seconds. */
const limitMs = 120_000;

/** The databases of docker/postgresql/roles.sql, with the schema that the tool carries for each. */
const schemas = {
  temporal: 'postgresql/v12/temporal',
  temporal_visibility: 'postgresql/v12/visibility',
};

/**
 * Makes the schema of Temporal's two databases with its own tool, as the service `temporal-schema` of docker-compose.yml
 * does.
 *
 * @throws Error with the last lines of the tool.
 */
export async function makeTemporalSchema(sqlTool: string, postgres: TemporalSettings['postgres']): Promise<void> {
  const env = {
    SQL_PLUGIN: 'postgres12_pgx',
    SQL_HOST: '127.0.0.1',
    SQL_PORT: String(postgres.port),
    SQL_USER: postgres.user,
    // By the environment: the arguments of a process can be read by all users of the machine.
    SQL_PASSWORD: postgres.password,
  };
  for (const [database, schema] of Object.entries(schemas))
    for (const step of [
      ['setup-schema', '-v', '0.0'],
      ['update-schema', '--schema-name', schema],
    ]) {
      const made = await runCommand(sqlTool, ['--db', database, ...step], { limitMs, env, cwd: '/' });
      if (!made.ok) throw new Error(`temporal-sql-tool ${step[0]} of the database ${database}: ${made.reason}`);
    }
}
