import { openClient } from '../support/one-connection.ts';

/** The server's settings that make a commit durable. */
export async function durability(url: string): Promise<Record<string, string>> {
  const client = await openClient(url);
  const settings: Record<string, string> = {};
  for (const name of ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers']) {
    const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name]);
    settings[`PostgreSQL ${name}`] = rows[0]?.value ?? '?';
  }
  await client.end();
  return settings;
}

/** The settings of the embedded Temporal (src/embedded/temporal.ts). */
export const temporalSettings: Record<string, string> = {
  Temporal: 'start-dev on a file, journal_mode=wal, synchronous=normal, eager activities, one task queue partition',
};
