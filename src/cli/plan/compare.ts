import { setTimeout as pause } from 'node:timers/promises';
import type { AdminApiClient } from '../../api/client.ts';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { setPath } from '../set-path.ts';
import type { CurrentAccount } from './current.ts';
import type { Candidate, Pair } from './difference.ts';

/** Candidates of one object. */
export interface Compared {
  pair: Pair;
  candidates: Candidate[];
}

type Body = Parameters<ReturnType<AdminApiClient['accounts']>['secrets']['compare']['post']>[0];

/**
 * The candidates that differ from what the gateway has stored: one call for each account. A token may compare ten times
 * a minute, so that a file with more accounts has to wait.
 */
export async function differingCandidates(
  cli: Cli,
  account: CurrentAccount,
  compared: readonly Compared[],
): Promise<Set<Candidate>> {
  const candidates = compared.flatMap(({ pair, candidates: some }) =>
    some.map((candidate) => ({ candidate, at: placeOf(pair, candidate.path) })),
  );
  if (candidates.length === 0) return new Set();
  const body: Record<string, unknown> = {};
  for (const { candidate, at } of candidates) setPath(body, at, candidate.value);
  const { differ } = await compare(cli, account, body);
  const differs = new Set(differ);
  return new Set(candidates.flatMap(({ candidate, at }) => (differs.has(at.join('.')) ? [candidate] : [])));
}

/** The path of a candidate in the body of a comparison. */
function placeOf({ kind, wanted, current }: Pair, path: string): string[] {
  const within = path.split('.');
  switch (kind) {
    case 'account':
      return ['account', ...within];
    case 'consumer':
      return ['consumers', wanted.name, ...within];
    case 'destination':
      return ['destinations', current?.id ?? '', ...within];
    default:
      return kind satisfies never;
  }
}

async function compare(cli: Cli, { id, name }: CurrentAccount, body: Body): Promise<{ differ: string[] }> {
  for (;;) {
    const result = await cli.admin().accounts({ account_id: id }).secrets.compare.post(body);
    const waitS = Number(result.response?.headers.get('retry-after'));
    if (result.response?.status !== 429 || !(waitS > 0)) return answered(result);
    cli.out.note(`Waiting ${waitS} s: a token may compare the secrets of ten accounts a minute. Next: ${name}`);
    await pause(waitS * 1000, undefined, { signal: cli.signal });
  }
}
