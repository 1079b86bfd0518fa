/** The refused admin calls in a gateway's audit log. */
export interface Denied {
  /** Entries of single calls. */
  entries: number;
  /** The largest number of these in one minute. */
  mostInMinute: number;
  /** Calls that are only in summaries. */
  summed: number;
}

interface Queries {
  query(sql: string): Promise<{ [column: string]: unknown }[]>;
}

const countDenied = `
  with denied as (
    select date_trunc('minute', created_at) as minute, (details ->> 'calls')::integer as calls
    from audit_logs where action = 'auth.denied'
  ), minutes as (
    select count(*)::integer as entries from denied where calls is null group by minute
  )
  select coalesce(sum(entries), 0)::integer as entries, coalesce(max(entries), 0) as most,
    (select coalesce(sum(calls), 0) from denied)::integer as summed
  from minutes`;

/** Counts the refused calls that the audit log has. */
export async function deniedIn(database: Queries): Promise<Denied> {
  const [row] = await database.query(countDenied);
  return { entries: Number(row?.entries), mostInMinute: Number(row?.most), summed: Number(row?.summed) };
}
