import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { installTestRuntime } from '../support/runtime.ts';

installTestRuntime();
const folder = fileURLToPath(new URL('histories/', import.meta.url));
const files = readdirSync(folder);
const workflowBundle = { code: inject('workflowCode') };

const read = (file: string) => JSON.parse(readFileSync(`${folder}${file}`, 'utf8'));

test('there are histories of success, exhaustion, notifications, retry, replay and maintenance', () => {
  for (const name of [
    'first-try',
    'exhausted',
    'own-queue-told',
    'replay-while-telling',
    'retry-while-waiting',
    'retry-after-end',
    'replay-while-waiting',
    'replay-after-end',
    'odd-signals',
    'shown-first-try',
    'shown-retry',
    'own-queue-upkeep-backup',
    'own-queue-upkeep-audit-purge',
    'own-queue-upkeep-retention',
    'own-queue-upkeep-sweep',
  ]) {
    expect(files.some((file) => file.startsWith(name))).toBe(true);
  }
});

test.each(files)('%s can be replayed', async (file) => {
  const { workflowId, history } = read(file);
  await Worker.runReplayHistory({ workflowBundle }, historyFromJSON(history), workflowId);
});

test('a history that this code could not have made is refused', async () => {
  const { workflowId, history } = read('exhausted.json');
  const scheduled = history.events.find(
    (event: { eventType: string }) => event.eventType === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED',
  );
  scheduled.activityTaskScheduledEventAttributes.activityType.name = 'another';
  await expect(Worker.runReplayHistory({ workflowBundle }, historyFromJSON(history), workflowId)).rejects.toThrow(
    /nondeterminism|determinism/i,
  );
});
