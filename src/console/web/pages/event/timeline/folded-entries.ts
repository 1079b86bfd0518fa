import type { Attempt } from '../use-event.ts';
import type { Entry } from './timeline-entries.ts';

/** Fewer are as quickly read as their fold. */
const fewest = 3;

export type AttemptEntry = Extract<Entry, { kind: 'attempt' }>;

/** An entry, or attempts that follow each other and had the same result. */
export type Folded = { kind: 'one'; entry: Entry } | { kind: 'fold'; key: string; attempts: AttemptEntry[] };

/** What attempts of a fold have in common. */
const resultOf = ({ outcome, response_code, generation, error }: Attempt) =>
  JSON.stringify([outcome, response_code, generation, error]);

/** Folds three or more equal attempts into one; the order, newest first, stays. */
export function foldedEntries(entries: readonly Entry[]): Folded[] {
  const runs: Entry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    const before = run?.[0];
    const isSame =
      entry.kind === 'attempt' && before?.kind === 'attempt' && resultOf(entry.attempt) === resultOf(before.attempt);
    if (run && isSame) run.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run): Folded[] => {
    const attempts = run.filter((entry) => entry.kind === 'attempt');
    // Of the attempts that are given newest first, the oldest one: the next attempt joins the fold and does not close it.
    const oldest = attempts.at(-1);
    if (oldest && attempts.length >= fewest) return [{ kind: 'fold', key: `fold ${oldest.key}`, attempts }];
    return run.map((entry) => ({ kind: 'one', entry }));
  });
}
