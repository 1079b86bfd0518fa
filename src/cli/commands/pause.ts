import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { consumerPath } from '../consumer-path.ts';
import { usageError } from '../exit.ts';
import { requestJson } from '../request.ts';
import { resolveAccount } from '../resolve-account.ts';

/** `pause` and `resume`: of all deliveries, of an account, or of a consumer. */
export function addPauseCommands(program: Command, cli: Cli): void {
  const change = async (order: 'pause' | 'resume', target: Target, body?: { reason: string }) => {
    const path = await pathOf(target);
    const changed = await requestJson(cli, 'POST', `${path}/${order}`, body ? { body } : {});
    if (cli.out.json) cli.out.document(changed);
    else cli.out.text(`Deliveries${of(target)} are ${order === 'pause' ? 'paused' : 'resumed'}.`);
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
          : 'Resume deliveries',
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
        await change(order, { account, consumer }, reason === undefined ? undefined : { reason });
      },
    );
  }
}

interface Target {
  account: string | undefined;
  consumer: string | undefined;
}

const of = ({ account, consumer }: Target) => {
  if (account === undefined) return ' of all accounts';
  return consumer === undefined ? ` of ${account}` : ` of ${account} to ${consumer}`;
};
