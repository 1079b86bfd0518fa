import { copyCheckout } from './checkout.ts';
import { root } from './drawn.ts';
import { Judge, type Verdict } from './judge.ts';
import { idOf, inWords, type Mutant } from './mutant.ts';
import type { MutantsCommand } from './options.ts';
import { Reach } from './reach.ts';
import { type Judged, readResults, writeResults } from './results.ts';
import { endTests } from './run-tests.ts';

/** Runs the mutants one after the other in a copy of the checkout, which is removed at the end, also of an interrupted run. */
export async function runMutants(mutants: readonly Mutant[], { out, limitMs }: MutantsCommand): Promise<Judged[]> {
  const results = out === null ? new Map() : readResults(out);
  const checkout = await copyCheckout(root);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      void endTests()
        .then(() => checkout.remove())
        .finally(() => process.exit(130));
    });
  try {
    const judge = new Judge({ checkout, reach: new Reach(checkout.path), limitMs });
    for (const mutant of mutants) {
      const id = idOf(mutant);
      if (results.has(id)) continue;
      const began = Date.now();
      const verdict = await judge.judge(mutant);
      const seconds = Math.round((Date.now() - began) / 1000);
      results.set(id, { id, number: mutant.number, ...verdict, seconds });
      if (out !== null) writeResults(out, results.values());
      console.log(`${mutant.number}. ${inWords(mutant)}\n   ${sentence(verdict)}, ${seconds} s`);
    }
    if (judge.unsound.size > 0)
      console.log(`left out, because they fail without a mutant: ${[...judge.unsound].join(' ')}`);
  } finally {
    await checkout.remove();
  }
  return mutants.flatMap((mutant) => {
    const result = results.get(idOf(mutant));
    return result === undefined ? [] : [{ mutant, result }];
  });
}

const sentence = ({ status, by, step }: Verdict) =>
  status === 'killed' ? `killed by ${by === 'timeout' ? 'the time limit' : by} (${step})` : status;
