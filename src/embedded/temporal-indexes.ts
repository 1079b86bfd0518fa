import { DatabaseSync } from 'node:sqlite';

/**
 * Indexes that nothing but a filter typed by hand would use: sizes, durations, and what is the same for all workflows of
 * the gateway or told by another index. Such a filter reads the list instead.
 */
const rare = [
  'by_execution_time',
  'by_history_length',
  'by_history_size_bytes',
  'by_execution_duration',
  'by_state_transition_count',
  'by_task_queue',
  'by_root_run_id',
];

const table = 'executions_visibility';
/** Columns may be null where a workflow has no such attribute: most have none of the forty that Temporal indexes. */
const indexOfColumn = new RegExp(`ON ${table} \\(namespace_id, (\\w+),`, 'i');

interface Index {
  name: string;
  sql: string;
}

/**
 * Reduces what Temporal's development server writes to its SQLite file for each workflow that its lists show: it keeps an
 * index of each search attribute that could exist, and rewrites all of them at each change. Afterwards, an index of
 * a column that may be null has only the rows that have a value, and rare ones are gone. Each query that uses an index
 * before still does, but for filters by a rare column. Idempotent.
 *
 * @param file the database; the server may run.
 */
export function reduceVisibilityIndexes(file: string): void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    const nullable = new Set(
      database
        .prepare(`select name from pragma_table_xinfo('${table}') where "notnull" = 0`)
        .all()
        .map(({ name }) => name),
    );
    const indexes = database
      .prepare(`select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null`)
      .all(table) as unknown as Index[];
    const changes = indexes.flatMap((index) => changesOf(index, nullable));
    if (changes.length === 0) return;
    database.exec(['begin immediate', ...changes, 'commit'].join(';'));
  } finally {
    database.close();
  }
}

function changesOf({ name, sql }: Index, nullable: ReadonlySet<unknown>): string[] {
  if (rare.includes(name)) return [`drop index ${name}`];
  const column = indexOfColumn.exec(sql)?.[1];
  if (!column || !nullable.has(column) || / where /i.test(sql)) return [];
  return [`drop index ${name}`, `${sql} where ${column} is not null`];
}
