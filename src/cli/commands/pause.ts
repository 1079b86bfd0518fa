import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { consumerPath } from '../consumer-path.ts';
import { usageError } from '../exit.ts';
import { requestJson } from '../request.ts';
import { resolveAccount } from '../resolve-account.ts';
import { pausedText, resumedText, type Target } from './other-pauses.ts';

/** `pause` and `resume`: of all deliveries, of an account, or of a consumer. */
export function addPauseCommands(program: Command, cli: Cli): void {
  const change = async (order: 'pause' | 'resume', target: Target, reason: string | undefined) => {
    const path = await pathOf(target);
    const changed = await requestJson(
      cli,
      'POST',
      `${path}/${order}`,
      reason === undefined ? {} : { body: { reason } },
    );
    if (cli.out.json) cli.out.document(changed);
    else cli.out.text(await (order === 'pause' ? pausedText(cli, target, reason) : resumedText(cli, target)));
  };
  const pathOf = async ({ account, consumer }: Target) => {
    if (account === undefined) return '/admin/delivery';
    if (consumer !== undefined) return consumerPath(cli, account, consumer);
    return `/admin/accounts/${(await resolveAccount(cli, account)).id}`;
  };
  for (const order of ['pause', 'resume'] as const) {
    const command = program
      .command(order)
      .description(
        order === 'pause'
          ? 'Pause deliveries: all, those of an account, or those of a consumer; webhooks are accepted as before'
          : 'Resume deliveries: all, those of an account, or those of a consumer; what has a pause of its own stays paused',
      )
      .argument('[account]', 'provider/slug, or its id; without, all deliveries')
      .option('--consumer <name>', 'only the deliveries to this consumer of the account');
    if (order === 'pause') command.option('--reason <text>', 'shown to all who look at the pause');
    command.action(
      async (account: string | undefined, { consumer, reason }: { consumer?: string; reason?: string }) => {
        if (consumer !== undefined && account === undefined)
          throw usageError(
            'a consumer belongs to an account',
            `Write: webhook-gateway ${order} <account> --consumer <name>`,
          );
        if (account === undefined && order === 'pause')
          await cli.prompts.confirm('Pause the deliveries of all accounts?');
        await change(order, { account, consumer }, reason);
      },
    );
  }
}
