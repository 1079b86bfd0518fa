import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { type EventWorkflows, eventWorkflows } from '../../src/events/event-workflows.ts';

/**
 * `npm run test:policies`: runs the end-to-end tests once under each value of EVENT_WORKFLOWS (test/support/policy.ts).
 * Further arguments are passed on to Vitest: `npm run test:policies -- --policy on_retry test/e2e/races.test.ts`.
 */
const folders = ['test/e2e', 'test/roles/restore.test.ts'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { policy: { type: 'string' } } });
const wanted = eventWorkflows.filter((policy) => values.policy === undefined || values.policy === policy);
if (wanted.length === 0) {
  console.error(`--policy must be one of: ${eventWorkflows.join(', ')}`);
  process.exit(2);
}

const failed: EventWorkflows[] = [];
for (const policy of wanted) {
  console.log(`EVENT_WORKFLOWS=${policy}`);
  const { exitCode } = await execa('vitest', ['run', ...(positionals.length > 0 ? positionals : folders)], {
    env: { TEST_EVENT_WORKFLOWS: policy },
    ...{ stdio: 'inherit', preferLocal: true, reject: false },
  });
  if (exitCode !== 0) failed.push(policy);
}
if (failed.length > 0) console.error(`tests failed with EVENT_WORKFLOWS=${failed.join(' and ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
