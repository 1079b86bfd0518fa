import type { Command } from 'commander';
import type { AdminApiClient } from '../../api/client.ts';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { adminClient } from '../connection.ts';
import { CliError, exitCodes } from '../exit.ts';
import { withTimeLimit } from '../limited-signal.ts';
import { age } from '../output/ages.ts';

/** A monitor has little time, and a gateway that is well answers within a second. */
const limitMs = 15_000;

/** `status`: whether all is well, on one screen. Its exit code serves monitors. */
export function addStatusCommand(program: Command, cli: Cli): void {
  program
    .command('status')
    .description('Show on one screen whether all is well; ends with 1 if it is not')
    .action(async () => {
      const connection = cli.connection();
      const what = `no answer within ${limitMs / 1000} s`;
      const state = await withTimeLimit({ limitMs, signal: cli.signal, what }, (signal) =>
        read(adminClient(connection, signal)),
      );
      const faults = faultsOf(state);
      const { health, stats, incidents, paused } = state;
      const { green, red } = cli.out.colors;
      cli.out.text(faults.length === 0 ? green('All is well.') : red('Something needs attention.'));
      cli.out.record(
        [
          ['database', `${health.database.state} (${health.database.answer_ms} ms)`],
          ['temporal', health.temporal.state],
          ['processes', `${health.processes.delivering_apis} api, ${health.processes.workers} worker`],
          ['incidents', incidents.length === 0 ? 'none open' : `${incidents.length} open`],
          ['deliveries', stats.paused ? `paused for ${age(stats.paused.since)}` : 'running'],
          ['waiting', `${stats.pending}, the oldest for ${age(stats.oldest_pending_at)}`],
          ['retrying', stats.retrying],
          ['failed', stats.failed],
          ['paused accounts', paused.length === 0 ? 'none' : paused.join(', ')],
          ['backup', `${health.backups.state}, the last one ${backupAge(health.backups.last_success_at)}`],
        ],
        { ok: faults.length === 0, faults, health, incidents, deliveries: stats, paused_accounts: paused },
      );
      if (faults.length > 0) throw new CliError(exitCodes.failed, faults.join('; '), nextOf(state));
    });
}

type State = Awaited<ReturnType<typeof read>>;

/** All at once. */
async function read(admin: AdminApiClient) {
  const [health, stats, incidents, accounts] = await Promise.all([
    admin.health.get().then(answered),
    admin.delivery.stats.get().then(answered),
    admin.incidents.get({ query: { state: ['open'], limit: 1000 } }).then(answered),
    admin.accounts.get({ query: { paused: true } }).then(answered),
  ]);
  const paused = accounts.map((row) => `${row.provider}/${row.account_slug}`);
  return { health, stats, incidents, paused };
}

/** What a person must look at. A paused account is not: a person has paused it, and `status` shows it. */
function faultsOf({ health, stats, incidents }: State): string[] {
  const { database, temporal, processes, backups } = health;
  return [
    ...(database.state === 'ok' ? [] : [`the database is ${database.state}`]),
    ...(['ok', 'not_configured'].includes(temporal.state) ? [] : [`Temporal: ${temporal.state}`]),
    ...(processes.state === 'no_worker' ? ['no worker is running'] : []),
    ...(['failed', 'late'].includes(backups.state) ? [`backups: ${backups.state}`] : []),
    ...(stats.paused ? ['deliveries are paused'] : []),
    ...(incidents.length === 0 ? [] : [`${incidents.length} open incident${incidents.length === 1 ? '' : 's'}`]),
  ];
}

function nextOf({ stats, incidents }: State): string {
  if (incidents.length > 0) return 'See `webhook-gateway incidents list --state open`.';
  if (stats.paused) return 'See why with --json, and run `webhook-gateway resume`.';
  return 'See docs/runbook.md.';
}

const backupAge = (at: string | null) => (at === null ? 'never' : `${age(at)} ago`);
