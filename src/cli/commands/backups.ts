import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes } from '../exit.ts';
import { age } from '../output/ages.ts';

/** How often `backups trigger --wait` reads the list: a backup of a small database takes a second. */
const pollMs = 1000;

/** `backups`: list, trigger, verify. */
export function addBackupsCommands(program: Command, cli: Cli): void {
  const backups = program.command('backups').description('Backups of the database');
  const all = async () => answered(await cli.admin().backups.get());
  type Backup = Awaited<ReturnType<typeof all>>[number];
  const ended = async (id: string): Promise<Backup> => {
    for (;;) {
      const backup = (await all()).find((row) => row.id === id);
      if (!backup)
        throw new CliError(
          exitCodes.notFound,
          `the backup ${id} is not in the list any more`,
          'Newer backups have replaced it: `webhook-gateway backups list`.',
        );
      if (backup.status !== 'running') return backup;
      await sleep(pollMs, undefined, { signal: cli.signal });
    }
  };
  backups
    .command('list')
    .description('List backups, the newest first')
    .action(async () =>
      cli.out.table(
        [
          { title: 'CREATED', value: (row) => row.created_at },
          { title: 'STATUS', value: (row) => row.status },
          { title: 'BYTES', value: (row) => row.size_bytes, right: true, optional: true },
          { title: 'ROWS', value: (row) => row.rows, right: true, optional: true },
          { title: 'NAME', value: (row) => row.name, optional: true },
        ],
        await all(),
      ),
    );
  backups
    .command('trigger')
    .description('Start a backup')
    .option('--wait', 'wait until it has ended; 1 if it failed')
    .action(async ({ wait }: { wait?: boolean }) => {
      const { id } = answered(await cli.admin().backups.trigger.post());
      if (!wait) return cli.out.record([['id', id]], { id });
      const backup = await ended(id);
      if (backup.status !== 'completed')
        throw new CliError(
          exitCodes.failed,
          `the backup failed: ${backup.error ?? backup.status}`,
          'See docs/backups.md.',
        );
      cli.out.record(
        [
          ['id', id],
          ['name', backup.name],
          ['bytes', backup.size_bytes],
        ],
        backup,
      );
    });
  backups
    .command('verify')
    .description('Check that there is a recent backup, and that no file was changed; ends with 1 otherwise')
    .addHelpText('after', '\nThe gateway compares the files with their signatures at each backup and each list.')
    .action(async () => {
      const state = answered(await cli.admin().health.get()).backups;
      const listed = await all();
      const newest = listed.find(({ status }) => status === 'completed');
      const changed = listed.filter(({ status }) => status === 'unverified');
      const faults = [
        ...(newest ? [] : ['there is no completed backup']),
        ...(state.state === 'failed' ? [`the last backup failed: ${state.last_failure?.error ?? 'see the log'}`] : []),
        ...(state.state === 'late' ? ['the last backup is more than 26 hours old'] : []),
        ...changed.map(({ name, error }) => `${name} is not verified: ${error}`),
      ];
      cli.out.record(
        [
          ['newest', newest?.name],
          ['age', newest && age(newest.created_at)],
          ['sha256', newest?.sha256],
          ['not verified', changed.length],
        ],
        { newest: newest ?? null, unverified: changed, ok: faults.length === 0 },
      );
      if (faults.length > 0)
        throw new CliError(exitCodes.failed, faults.join('; '), 'Run `webhook-gateway backups trigger --wait`.');
    });
}
