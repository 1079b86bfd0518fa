import { commandOf } from '../support/command.ts';
import { prepareGround } from './ground.ts';
import { readOptions, usage } from './options.ts';
import { faultKinds } from './plan.ts';
import { table } from './report.ts';
import { runSeed, type SeedResult } from './run-seed.ts';
import { noSmallDisk } from './small-disk.ts';

/**
 * `npm run faults -- [--seed N,M,…] [--seeds N] [--seconds S] [--rate N] [--faults kill-worker,…]`: sends webhooks to a gateway of
 * two api and two worker processes with their own PostgreSQL and Temporal, injects faults in turn and at once, and
 * checks afterwards that nothing was lost (docs/failures.md).
 *
 * The seed decides which faults occur when, and how the consumers behave: `plan.ts`, `consumer.ts`. Without `--seed` a
 * random one is taken. `--seeds 50` runs 50 seeds one after the other, from the given or a random one upwards. The
 * command ends with a table, a row per seed. It fails if a check of a seed fails, names the check in words, keeps the
 * folder with the logs of that seed, and says how to repeat it.
 */
const { seeds, loadS, rate, faults } = commandOf(readOptions, usage, 1);
const results: SeedResult[] = [];
// All processes stop with this one, also when it is interrupted: server-process.ts. The seeds so far are reported.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (results.length > 0) console.log(table(results));
    process.exit(130);
  });

const wanted = faults ?? faultKinds;
console.log(`seeds: ${seeds.join(', ')}`);

const obstacle = noSmallDisk();
if (obstacle !== null && wanted.includes('full-disk')) console.log(`skipped: full-disk, because ${obstacle}`);
const kinds = obstacle === null ? wanted : wanted.filter((kind) => kind !== 'full-disk');

const ground = await prepareGround();

for (const seed of seeds) {
  const result = await runSeed({ seed, loadS, rate, only: kinds, ground });
  results.push(result);
  if (result.failures.length === 0) console.log(`seed ${seed}: passed in ${Math.round(result.seconds)} s`);
  else {
    console.log(`seed ${seed}: FAILED`);
    for (const failure of result.failures) console.log(`  ${failure}`);
    const only = faults === null ? '' : ` --faults ${faults.join(',')}`;
    console.log(`  logs: ${result.folder}`);
    console.log(`  repeat: npm run faults -- --seed ${seed} --seconds ${loadS} --rate ${rate}${only}`);
  }
}
console.log(table(results));
process.exit(results.every(({ failures }) => failures.length === 0) ? 0 : 1);
