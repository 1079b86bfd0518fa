import { defaultName } from '../../consumers/consumer-rules.ts';
import type { Cli } from '../cli.ts';
import type { Wanted } from './check.ts';
import { differingCandidates } from './compare.ts';
import { type Current, type CurrentAccount, refuseSameNames } from './current.ts';
import { differenceOf, type Pair } from './difference.ts';
import { defaults } from './fields.ts';
import type { FieldChange, Plan, Step } from './plan.ts';
import type { WantedAccount } from './read-file.ts';

/** What has to be done so that the gateway is as the file says. Compares secrets with the gateway, and changes nothing. */
export async function makePlan(
  cli: Cli,
  { wanted, current, prune }: { wanted: readonly WantedAccount[]; current: readonly CurrentAccount[]; prune: boolean },
): Promise<Plan> {
  const plan: Plan = { steps: [], unset: [] };
  const known = new Map(current.map((account) => [account.name, account]));
  for (const account of wanted) {
    const stored = known.get(account.name) ?? null;
    if (stored) refuseSameNames(stored, (name) => account.destinations.some((one) => one.name === name));
    await addAccount(cli, plan, account, stored);
    if (prune && stored) plan.steps.push(...deletions(account, stored));
  }
  return plan;
}

async function addAccount(cli: Cli, plan: Plan, account: WantedAccount, stored: CurrentAccount | null): Promise<void> {
  const { name, provider } = account;
  const pairs: Pair[] = [
    { kind: 'account', account: name, provider, wanted: account, current: stored },
    ...pairsOf(account.consumers, stored?.consumers ?? [defaultOfNew]).map((pair) => ({
      ...pair,
      ...({ kind: 'consumer', account: name, provider } as const),
    })),
    ...pairsOf(account.destinations, stored?.destinations ?? []).map((pair) => ({
      ...pair,
      ...({ kind: 'destination', account: name, provider } as const),
    })),
  ];
  const differences = pairs.map((pair) => ({ pair, ...differenceOf(pair) }));
  const differing = stored ? await differingCandidates(cli, stored, differences) : new Set();
  for (const { pair, changes, candidates, unset } of differences) {
    plan.unset.push(...unset);
    const all = [...changes, ...candidates.filter((one) => differing.has(one)).map(({ change }) => change)];
    if (pair.current !== null && all.length === 0) continue;
    plan.steps.push({
      ...{ action: pair.current === null ? 'create' : 'update', kind: pair.kind, account: name },
      ...{ name: pair.wanted.name, id: pair.current?.id || null, changes: all },
      signsWithKey: signsWithKey(pair, stored, all),
    });
  }
}

/** Whether a key signs once a step is made. Of an account it is the stored one: the step of `default` comes later. */
function signsWithKey(
  { kind, current }: Pair,
  stored: CurrentAccount | null,
  changes: readonly FieldChange[],
): boolean {
  const consumer = kind === 'account' ? stored?.consumers.find(({ name }) => name === defaultName) : current;
  const change = changes.find(({ field }) => field === 'signature');
  return (change ? change.send : consumer?.fields.signature) === 'ed25519';
}

/** The consumer `default` of an account that is about to be created. */
const defaultOfNew: Current = {
  ...{ id: '', name: defaultName, updatedAt: '', fields: defaults.consumer, secrets: new Set() },
};

const pairsOf = (wanted: readonly Wanted[], current: readonly Current[]) =>
  wanted.map((one) => ({ wanted: one, current: current.find(({ name }) => name === one.name) ?? null }));

/** What the file does not name. `default` belongs to its account. */
function deletions(account: WantedAccount, stored: CurrentAccount): Step[] {
  const gone = (kind: 'consumer' | 'destination', wanted: readonly Wanted[], current: readonly Current[]): Step[] =>
    current
      .filter(({ name }) => !wanted.some((one) => one.name === name))
      .map(({ id, name }) => ({
        ...{ action: 'delete', kind, account: account.name, name, id, changes: [], signsWithKey: false },
      }));
  return [
    ...gone(
      'consumer',
      account.consumers,
      stored.consumers.filter(({ name }) => name !== defaultName),
    ),
    ...gone('destination', account.destinations, stored.destinations),
  ];
}
