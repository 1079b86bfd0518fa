import { commandOf } from '../support/command.ts';
import { prepareClusterGround } from './ground.ts';
import { readOptions, usage } from './options.ts';
import { runParts } from './run-parts.ts';
import { runUp } from './up.ts';

/**
 * `npm run cluster`: the gateway of many machines on one, without containers (docs/cluster.md): PostgreSQL, the Temporal
 * server on PostgreSQL, api and worker processes, and a balancer. It runs what `options.ts` lists, and ends with a table
 * of the parts and exit code 0 if all of them passed. All processes stop with this one, also when it is interrupted.
 */
const options = commandOf(readOptions, usage, 2);
const stopping = new AbortController();
let isUp = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // A second signal, or one outside of --up, does not wait for a graceful end. Then the exit kills all processes.
    if (!isUp || stopping.signal.aborted) process.exit(130);
    stopping.abort();
  });

console.log('Preparing PostgreSQL and Temporal …');
const ground = await prepareClusterGround();
if (options.up) {
  isUp = true;
  const left = await runUp(ground, options, stopping.signal);
  for (const how of left) console.error(how);
  process.exit(left.length === 0 ? 0 : 1);
}
process.exit((await runParts(ground, options)) ? 0 : 1);
