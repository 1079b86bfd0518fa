import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { prepareGround } from './ground.ts';
import { faultKinds } from './plan.ts';
import { table } from './report.ts';
import { runSeed, type SeedResult } from './run-seed.ts';
import { defaultLoadS, defaultRate } from './settings.ts';
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
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: String(defaultLoadS) },
    rate: { type: 'string', default: String(defaultRate) },
    faults: { type: 'string' },
  },
});

const results: SeedResult[] = [];
// All processes stop with this one, also when it is interrupted: server-process.ts. The seeds so far are reported.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (results.length > 0) console.log(table(results));
    process.exit(130);
  });

const wanted = values.faults?.split(',') ?? faultKinds;
const unknown = wanted.filter((kind) => !faultKinds.includes(kind));
const first = values.seed?.split(',').map(Number) ?? [randomInt(1_000_000)];
const count = Number(values.seeds);
const loadS = Number(values.seconds);
const rate = Number(values.rate);
if (
  unknown.length > 0 ||
  ![...first, count, loadS, rate].every((n) => Number.isInteger(n) && n >= 0) ||
  count < 1 ||
  rate < 1
) {
  console.error(
    `npm run faults -- [--seed N,M,…] [--seeds N] [--seconds ${defaultLoadS}] [--rate ${defaultRate}] [--faults ${faultKinds.join(',')}]`,
  );
  process.exit(1);
}
const seeds = values.seeds === '1' ? first : Array.from({ length: count }, (_, n) => (first[0] ?? 0) + n);
console.log(`seeds: ${seeds.join(', ')}`);

const obstacle = noSmallDisk();
if (obstacle !== null && wanted.includes('full-disk')) console.log(`skipped: full-disk, because ${obstacle}`);
const only = obstacle === null ? wanted : wanted.filter((kind) => kind !== 'full-disk');

const ground = await prepareGround();

for (const seed of seeds) {
  const result = await runSeed({ seed, loadS, rate, only, ground });
  results.push(result);
  if (result.failures.length === 0) console.log(`seed ${seed}: passed in ${Math.round(result.seconds)} s`);
  else {
    console.log(`seed ${seed}: FAILED`);
    for (const failure of result.failures) console.log(`  ${failure}`);
    const faults = values.faults === undefined ? '' : ` --faults ${values.faults}`;
    console.log(`  logs: ${result.folder}`);
    console.log(`  repeat: npm run faults -- --seed ${seed} --seconds ${loadS} --rate ${rate}${faults}`);
  }
}
console.log(table(results));
process.exit(results.every(({ failures }) => failures.length === 0) ? 0 : 1);
