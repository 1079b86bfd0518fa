import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, aroundAll, beforeEach, expect } from 'vitest';
import { procStat } from './proc-stat.ts';

// The processor time of each test file by phase: TEST_CPU=cpu.jsonl npm test, then node .ci/cpu.mjs cpu.jsonl.

/** Milliseconds of this process so far, and of its children that have ended. */
interface CpuTimes {
  userMs: number;
  systemMs: number;
  childrenMs: number;
}

const msATick = 10;

function cpuTimes(): CpuTimes {
  const { fields } = procStat('self');
  const ms = (index: number) => Number(fields[index] ?? 0) * msATick;
  return { userMs: ms(11), systemMs: ms(12), childrenMs: ms(13) + ms(14) };
}

const output = process.env.TEST_CPU;
if (output !== undefined) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const phases: Record<string, CpuTimes> = {};
  const beganMs = performance.now();
  let phase = 'load';
  let began = cpuTimes();
  const enter = (next: string) => {
    const now = cpuTimes();
    const sum = phases[phase] ?? { userMs: 0, systemMs: 0, childrenMs: 0 };
    phases[phase] = sum;
    for (const name of ['userMs', 'systemMs', 'childrenMs'] as const) sum[name] += now[name] - began[name];
    [phase, began] = [next, now];
  };
  // Those of this file run before the hooks of the test file at its beginning, and after them at its end.
  aroundAll(async (runFile) => {
    enter('setup');
    await runFile();
    enter('');
    const file = relative(root, expect.getState().testPath ?? '');
    appendFileSync(output, `${JSON.stringify({ file, wallMs: Math.round(performance.now() - beganMs), phases })}\n`);
  });
  beforeEach(() => enter('tests'));
  afterEach(() => enter('teardown'));
}
