import { withClient } from '../../support/one-connection.ts';

/** What a server needs to count its statements; loaded at its start. */
export const countingStatements = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

/** What one statement has cost, in all processes together. */
export interface StatementCost {
  /** The same in all clusters of a run. The text is not: PostgreSQL keeps it with or without the constants. */
  id: string;
  /** Its text in one line. */
  statement: string;
  calls: number;
  /** The server's time for it: planning and execution, with waits for locks and the disk. */
  ms: number;
}

/**
 * Starts to count the statements of a database from zero.
 *
 * @param url of the database, for the superuser
 */
export const beginCounting = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query('create extension if not exists pg_stat_statements');
    await client.query('select pg_stat_statements_reset()');
  });

/** What the statements of a database have cost since `beginCounting`, without what it asks itself. */
export const countedStatements = (url: string): Promise<StatementCost[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<StatementCost>(
      `select queryid::text as id, regexp_replace(min(query), '\\s+', ' ', 'g') as statement,
              sum(calls)::float8 as calls, sum(total_plan_time + total_exec_time)::float8 as ms
       from pg_stat_statements join pg_database on pg_database.oid = dbid
       where datname = current_database() and query !~ 'pg_stat_statements'
       group by 1`,
    );
    return rows;
  });

/** What statements have cost with each number of apis, in all its rounds, for 1,000 events: a row for each of the dearest. */
export function statementRows(
  rounds: readonly { apis: number; events: number; statements: readonly StatementCost[] }[],
  shown: number,
): Record<string, string | number>[] {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  const texts = new Map(rounds.flatMap(({ statements }) => statements.map(({ id, statement }) => [id, statement])));
  const byApis = [...Map.groupBy(rounds, ({ apis }) => apis)];
  const rows = [...texts].map(([id, statement]) => {
    const each = byApis.map(([apis, of]) => {
      const found = of.flatMap(({ statements }) => statements.filter((other) => other.id === id));
      const thousands = sum(of.map(({ events }) => events)) / 1_000;
      return {
        apis,
        calls: sum(found.map(({ calls }) => calls)) / thousands,
        ms: sum(found.map(({ ms }) => ms)) / thousands,
      };
    });
    return { statement, each, grown: (each.at(-1)?.ms ?? 0) - (each[0]?.ms ?? 0) };
  });
  return rows
    .toSorted((one, other) => other.grown - one.grown)
    .slice(0, shown)
    .map(({ statement, each }) => ({
      'statement, for 1,000 events': shortened(statement),
      ...Object.fromEntries(
        each.flatMap(({ apis, calls, ms }) => [
          [`calls, ${apis} api`, calls.toFixed(1)],
          [`ms, ${apis} api`, ms.toFixed(1)],
        ]),
      ),
    }));
}

const mostCharacters = 70;

/** The beginning of a statement, as a cell of a Markdown table. */
function shortened(statement: string): string {
  const cell = statement.trim().replaceAll('|', '\\|');
  return cell.length > mostCharacters ? `${cell.slice(0, mostCharacters)}…` : cell;
}
