import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quietLogger } from '../../src/temporal/workflow-bundle.ts';
import { installTestRuntime } from '../support/runtime.ts';
import { useTemporal } from '../workflows/use-temporal.ts';

// How a patch is made and retired (docs/changing-a-workflow.md): the code of each step, and which histories it can replay.

installTestRuntime();
const temporal = useTemporal();
const root = fileURLToPath(new URL('../..', import.meta.url));

const old = 'await sleep(1);';
const changed = 'await sleep(1); await sleep(2);';
const steps = {
  before: old,
  patched: `if (patched('two-waits')) { ${changed} } else { ${old} }`,
  deprecated: `deprecatePatch('two-waits'); ${changed}`,
  removed: changed,
};
type Step = keyof typeof steps;
const names: Step[] = ['before', 'patched', 'deprecated', 'removed'];

let folder: string;
const bundles: Partial<Record<Step, { code: string }>> = {};
const histories: Partial<Record<Step, History>> = {};
const bundleOf = (step: Step) => bundles[step] ?? { code: '' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patches-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const step of names) {
    const workflowsPath = join(folder, `${step}.js`);
    const source = `import { deprecatePatch, patched, sleep } from '@temporalio/workflow';
export async function waits() { ${steps[step]} }`;
    await writeFile(workflowsPath, source);
    bundles[step] = await bundleWorkflowCode({ workflowsPath, logger: quietLogger(() => undefined) });
    const taskQueue = `test-${randomUUID()}`;
    const workflowBundle = bundleOf(step);
    const worker = await Worker.create({ connection: temporal.native, taskQueue, workflowBundle });
    const { workflow } = new Client({ connection: temporal.connection });
    const workflowId = randomUUID();
    await worker.runUntil(workflow.execute('waits', { workflowId, taskQueue }));
    histories[step] = await workflow.getHandle(workflowId).fetchHistory();
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The steps whose code can replay the history of a workflow that ran with the code of `step`. */
async function replayedBy(step: Step): Promise<Step[]> {
  const can: Step[] = [];
  for (const name of names) {
    const replayed = Worker.runReplayHistory({ workflowBundle: bundleOf(name) }, histories[step]);
    const ok = await replayed.then(
      () => true,
      () => false,
    );
    if (ok) can.push(name);
  }
  return can;
}

test('a workflow from before the patch needs the old branch, so the old branch stays until the last of them has ended', async () => {
  expect(await replayedBy('before')).toEqual(['before', 'patched']);
});

test('a workflow with the marker can be continued with deprecatePatch, but not by the release before', async () => {
  expect(await replayedBy('patched')).toEqual(['patched', 'deprecated']);
});

test('when deprecatePatch has made all markers, it can be removed', async () => {
  expect(await replayedBy('deprecated')).toEqual(['patched', 'deprecated', 'removed']);
  expect(await replayedBy('removed')).toContain('removed');
});
