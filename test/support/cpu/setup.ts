import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type CpuTimes, cpuTimesOf, since } from './times.ts';

// The processor time of each test file by phase: TEST_CPU=cpu.jsonl npm test, then node .ci/cpu.mjs cpu.jsonl.

const output = process.env.TEST_CPU;
if (output !== undefined) {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const phases: Record<string, CpuTimes> = {};
  const beganMs = performance.now();
  let phase = 'load';
  let began = cpuTimesOf('self');
  const enter = (next: string) => {
    const now = cpuTimesOf('self');
    const sum = phases[phase];
    const more = since(began, now);
    phases[phase] = sum
      ? {
          userMs: sum.userMs + more.userMs,
          systemMs: sum.systemMs + more.systemMs,
          childrenMs: sum.childrenMs + more.childrenMs,
        }
      : more;
    [phase, began] = [next, now];
  };
  // Those of this file run before the hooks of the test file at its beginning, and after them at its end.
  beforeAll(() => enter('setup'));
  beforeEach(() => enter('tests'));
  afterEach(() => enter('teardown'));
  afterAll(() => {
    enter('');
    const file = relative(root, expect.getState().testPath ?? '');
    appendFileSync(output, `${JSON.stringify({ file, wallMs: Math.round(performance.now() - beganMs), phases })}\n`);
  });
}
