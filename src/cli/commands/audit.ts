import type { Command } from 'commander';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes } from '../exit.ts';
import { timeAgo } from '../options.ts';
import { fieldsOf } from '../output/fields.ts';
import { type PageOptions, paged, withPages } from '../paged.ts';
import { requestJson } from '../request.ts';

interface AuditFilter {
  actor?: string;
  action?: string;
  event?: string;
  since?: string;
  until?: string;
}

/** `audit`: list, verify. */
export function addAuditCommands(program: Command, cli: Cli): void {
  const audit = program.command('audit').description('The audit log: who did what, sealed against changes');
  const list = audit
    .command('list')
    .description('List entries, the newest first')
    .option('--actor <name>', 'only those of the token with this name')
    .option('--action <action>', 'only those of this action, such as account.update')
    .option('--event <id>', 'only those about this event')
    .option('--since <time>', 'since then: ISO 8601, or how long ago, such as 1h', timeAgo)
    .option('--until <time>', 'until then', timeAgo);
  withPages(list).action(async (options: AuditFilter & PageOptions) => {
    const { actor, action, event, since, until } = options;
    const query = { actor, action, event_id: event, since, until };
    const read = async (page: { limit: number; before: string | undefined }) =>
      answered(await cli.admin()['audit-logs'].get({ query: { ...query, ...page } }));
    cli.out.table(
      [
        { title: 'TIME', value: (row) => row.timestamp },
        { title: 'ACTOR', value: (row) => row.actor },
        { title: 'ACTION', value: (row) => row.action },
        { title: 'ADDRESS', value: (row) => row.ip_address, optional: true },
      ],
      await paged(options, read),
    );
  });
  audit
    .command('verify')
    .description('Verify all seals; ends with 1 if an entry was changed or is missing')
    .option('--head <head>', 'an earlier head, seq:seal, after which nothing may be missing')
    .action(async ({ head }: { head?: string }) => {
      const result = await requestJson(cli, 'GET', '/admin/audit-logs/verify', { query: { head } });
      const fields = fieldsOf(result);
      cli.out.record(fields, result);
      const found = Object.fromEntries(fields);
      if (found.ok !== true)
        throw new CliError(
          exitCodes.failed,
          `the audit log does not verify: ${found['failure.message']}`,
          'docs/security.md says what each kind of failure means.',
        );
    });
}
