import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openClient } from '../../support/one-connection.ts';
import { endWithThis } from '../children.ts';

const thisCheckout = fileURLToPath(new URL('../../..', import.meta.url));
const days = 30;

/** Events that still need attempts would be delivered during the measurement. */
const settleAll = [
  'delete from event_queue',
  `update events set status = 'enqueued', delivery_status = 'delivered', delivered_at = received_at, next_attempt_at = null,
     started_generation = generation where delivery_status = 'pending'`,
  'vacuum analyze',
];

/**
 * Migrates an empty database, and fills it with delivered events of the last month, with all indexes and statistics.
 *
 * @param checkout the folder of the gateway's package.json, whose schema it gets; null for this checkout
 */
export async function fillDatabase(url: string, events: number, checkout: string | null): Promise<void> {
  const folder = checkout ?? thisCheckout;
  console.error(`filling ${events} events`);
  const migrate = endWithThis(
    spawn(process.execPath, [join(folder, 'src/main.ts'), 'migrate'], {
      env: { ...process.env, DATABASE_URL: url, LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const [code] = await once(migrate, 'exit');
  if (code !== 0) throw new Error(`the migration ended with code ${code}`);
  // The tables are those of the gateway that is measured, so it also says how to fill them.
  const file = pathToFileURL(join(folder, 'test/bench/admin/fill.ts')).href;
  const { fill }: typeof import('../admin/fill.ts') = await import(file);
  await fill(url, { events, days });
  const client = await openClient(url);
  for (const text of settleAll) await client.query(text);
  await client.end();
}
