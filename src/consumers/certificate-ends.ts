import type { Sql } from '../database/sql.ts';

const readEarliest = {
  name: 'read_earliest_certificate_end',
  text: `
    select min(c.certificate_expires_at) as "earliest" from consumers c join accounts a on a.id = c.account_id
    where c.deleted_at is null and c.enabled and a.deleted_at is null and a.enabled`,
};

/** When the first client certificate of an enabled consumer expires, those that have expired included; null when there is none. */
export async function earliestCertificateEnd(sql: Sql): Promise<Date | null> {
  const [row] = await sql.query<{ earliest: Date | null }>(readEarliest, []);
  return row?.earliest ?? null;
}
