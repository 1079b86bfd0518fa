import { DatabaseSync } from 'node:sqlite';
import { searchAttributes } from '../../workflows/search-attributes.ts';

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
/** The column of an attribute that a user of Temporal has defined, such as Keyword03: the third of its type. */
const customColumn = /^(bool|datetime|double|int|keyword)(\d+)$/i;
/** Columns may be null where a workflow has no such attribute: most have none of the forty that Temporal indexes. */
const indexOfColumn = new RegExp(`ON ${table} \\(namespace_id, (\\w+),`, 'i');

interface Index {
  name: string;
  sql: string;
}

/**
 * Reduces what Temporal's development server writes to its SQLite file for each workflow that its lists show: it keeps an
 * index of each search attribute that could exist, and rewrites all of them at each change. Afterwards, an index of
 * a column that may be null has only the rows that have a value. Rare ones are gone, and those of attributes that the gateway
 * does not define: an index costs time also for rows that it does not have. Each query that uses an index before still does,
 * but for filters by these columns. Idempotent.
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
  const column = indexOfColumn.exec(sql)?.[1];
  if (rare.includes(name) || isSpare(column)) return [`drop index ${name}`];
  if (!column || !nullable.has(column) || / where /i.test(sql)) return [];
  return [`drop index ${name}`, `${sql} where ${column} is not null`];
}

/** Whether none of the gateway's attributes is in a column. Those of a type have its first columns. */
function isSpare(column = ''): boolean {
  const [, type = '', place = '0'] = customColumn.exec(column) ?? [];
  return Number(place) > Object.values(searchAttributes).filter((own) => own.type === type.toUpperCase()).length;
}
