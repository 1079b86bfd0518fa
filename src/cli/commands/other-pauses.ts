import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { printable } from '../output/printable.ts';
import { resolveAccount } from '../resolve-account.ts';

/** What is paused or resumed: all deliveries, those of an account, or those to one of its consumers. */
export interface Target {
  account?: string | undefined;
  consumer?: string | undefined;
}

interface Pause {
  since: string;
  reason: string | null;
}

/** The pause of all deliveries; null: there is none. Undefined for a token with a scope, which may not read it. */
async function pauseOfAll(cli: Cli): Promise<Pause | null | undefined> {
  const stats = await cli.admin().delivery.stats.get();
  return Number(stats.error?.status) === 403 ? undefined : answered(stats).paused;
}

const consumersOf = async (cli: Cli, accountId: string) =>
  answered(await cli.admin().accounts({ account_id: accountId }).consumers.get());

/** The pause of a target itself; null: there is none, or the token may not read it. */
async function ownPause(cli: Cli, { account, consumer }: Target): Promise<Pause | null> {
  if (account === undefined) return (await pauseOfAll(cli)) ?? null;
  const { id, paused } = await resolveAccount(cli, account);
  if (consumer === undefined) return paused;
  return (await consumersOf(cli, id)).find(({ name }) => name === consumer)?.paused ?? null;
}

/** What a pause has done: one that was in force before keeps its reason. */
export async function pausedText(cli: Cli, target: Target, reason: string | undefined): Promise<string> {
  const own = reason === undefined ? null : await ownPause(cli, target);
  if (own === null || own.reason === (reason || null)) return `Deliveries${of(target)} are paused.`;
  const kept = own.reason === null ? 'none' : printable(own.reason);
  return `Deliveries${of(target)} are paused since ${own.since} already. That pause keeps its reason: ${kept}.`;
}

/** What the end of a pause has done, with the pauses that still hold some or all of these deliveries. */
export async function resumedText(cli: Cli, target: Target): Promise<string> {
  const { wider, narrower, isUnknown } = await otherPauses(cli, target);
  const [says, pauses] =
    wider.length > 0
      ? ['stay paused, because these pauses are in force', wider]
      : ['are resumed, but these pauses are still in force', narrower];
  const unknown = isUnknown ? '\nA token with a scope may not read whether all deliveries are paused.' : '';
  if (pauses.length === 0) return `Deliveries${of(target)} are resumed.${unknown}`;
  return `Deliveries${of(target)} ${says}:\n${pauses.join('\n')}${unknown}`;
}

/** The other pauses that hold all deliveries of a target (`wider`) or some of them, a line for each. */
async function otherPauses(cli: Cli, { account, consumer }: Target) {
  if (account === undefined) {
    const accounts = answered(await cli.admin().accounts.get({ query: { paused: true } }));
    const narrower = accounts.map((row) => lineOf({ account: `${row.provider}/${row.account_slug}` }));
    return { wider: [], narrower, isUnknown: false };
  }
  const all = await pauseOfAll(cli);
  const { id, paused } = await resolveAccount(cli, account);
  const wider = all ? [lineOf({}, all)] : [];
  if (consumer !== undefined && paused) wider.push(lineOf({ account }, paused));
  const consumers = consumer === undefined ? await consumersOf(cli, id) : [];
  const narrower = consumers.flatMap((one) =>
    one.paused ? [lineOf({ account, consumer: one.name }, one.paused)] : [],
  );
  return { wider, narrower, isUnknown: all === undefined };
}

function lineOf(target: Target, pause?: Pause): string {
  const { account, consumer } = target;
  const args = [
    ...(account === undefined ? [] : [account]),
    ...(consumer === undefined ? [] : ['--consumer', consumer]),
  ];
  const reason = pause?.reason ? `: ${printable(pause.reason)}` : '';
  const since = pause ? ` since ${pause.since}` : '';
  return `- that${of(target)}${since}${reason} (${['webhook-gateway resume', ...args].join(' ')})`;
}

const of = ({ account, consumer }: Target) => {
  if (account === undefined) return ' of all accounts';
  return consumer === undefined ? ` of ${account}` : ` of ${account} to ${consumer}`;
};
