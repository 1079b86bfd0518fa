import pg from 'pg';

/** Every table with every row as text, sorted. */
export type Content = Record<string, string[]>;

/** Columns that a restore changes on purpose: claims, the workflow of an event, and its place in the feed. */
const changes: Record<string, string[]> = {
  events: ['started_generation', 'run_id', 'swept_at', 'stored_xid'],
  event_queue: ['claimed_until', 'claim_token', 'lane_since'],
  event_commands: ['claimed_until', 'claim_token'],
};
const elsewhere = [
  'admin_tokens',
  'mikro_orm_migrations',
  'applied_migrations',
  'backups',
  'incident_counts',
  'feed_losses',
  'processes',
];

/** Reads all rows of a database, optionally from the snapshot of another transaction. */
export async function readContent(url: string, snapshotId: string | null = null): Promise<Content> {
  const client = new pg.Client({ connectionString: url, options: '-c TimeZone=UTC -c bytea_output=hex' });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read');
    if (snapshotId !== null) await client.query(`set transaction snapshot '${snapshotId}'`);
    const tables = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace order by 1`,
    );
    const content: Content = {};
    for (const { name } of tables.rows) {
      if (elsewhere.includes(name)) continue;
      const row = changes[name] ? `(to_jsonb(t) - '{${changes[name].join()}}'::text[])::text` : 't::text';
      const where = name === 'gateway_settings' ? `where key not in ('delivery_paused', 'feed_epoch')` : '';
      const { rows } = await client.query<{ row: string }>(`select ${row} as "row" from ${name} t ${where} order by 1`);
      content[name] = rows.map((found) => found.row);
    }
    // Pending events that had a workflow are queued for a new one.
    const { rows } = await client.query<{ row: string }>(
      `select jsonb_build_object('event_id', id, 'account_id', account_id, 'generation', generation, 'lane', 1, 'direct', false)::text as "row"
       from events e where delivery_status = 'pending' and not exists (select from event_queue q where q.event_id = e.id)`,
    );
    content.event_queue = [...(content.event_queue ?? []), ...rows.map(({ row }) => row)].sort();
    return content;
  } finally {
    await client.end();
  }
}
