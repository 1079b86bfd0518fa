import type { Sql } from '../database/sql.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';

const lookMs = 1_000;
/** For a table of fewer rows than these, PostgreSQL may plan to read it whole. */
const small = 200;
/** With this many rows, such a plan costs more than the statistics. */
const large = 1_000;

const readSizes = {
  name: 'read_queue_sizes',
  // -1: never vacuumed. PostgreSQL then plans for some rows.
  text: `select c.reltuples between 0 and ${small} and pg_stat_get_live_tuples(c.oid) > ${large} as outgrown
    from pg_class c where c.oid = 'event_queue'::regclass`,
};
// ANALYZE cannot be prepared, so it has no name.
const analyze = { name: '', text: 'analyze event_queue' };

/**
 * Lets PostgreSQL plan the statements about `event_queue` again when the queue has grown since it was vacuumed empty. Each
 * connection keeps its plans (src/database/database.ts). Those made for an empty queue read all of it for each claim and each
 * recorded attempt, until autovacuum looks at the table again, by default after a minute: a burst then took ten times the
 * processor time of PostgreSQL.
 */
export const watchQueueStatistics = ({ sql, log }: { sql: Sql; log: Log }): Poller =>
  new Poller({
    name: 'statistics of the queue',
    idleMs: lookMs,
    log,
    work: async () => {
      const [row] = await sql.query<{ outgrown: boolean }>(readSizes, []);
      if (row?.outgrown) await sql.query(analyze, []);
      return 'idle';
    },
  });
