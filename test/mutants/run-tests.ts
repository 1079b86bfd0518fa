import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { z } from 'zod';
import { processTree, stillRunning } from '../support/descendants.ts';
import type { Checkout } from './checkout.ts';

export interface TestRun {
  outcome: 'passed' | 'failed' | 'timeout';
  /** The files that failed, each with its first failed test; none if only the run as a whole failed. */
  failed: { file: string; test: string }[];
  /** The last lines that Vitest printed. */
  output: string;
}

/** What Vitest's JSON reporter writes. */
const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** Enough for an error with its stack. */
const lastLines = 30;

let running: number | null = null;
/** Whether the command was interrupted. Then no run returns, so that nothing follows it. */
let ending = false;
const never = () => new Promise<never>(() => undefined);

/** Runs test files of a copy. With `bail`, up to the first failure. */
export async function runTests(
  { path, temporary }: Checkout,
  tests: readonly string[],
  { bail, limitMs }: { bail: boolean; limitMs: number },
): Promise<TestRun> {
  if (ending) return never();
  const results = join(temporary, 'results.json');
  const log = join(temporary, 'vitest.log');
  await rm(results, { force: true });
  await rm(log, { force: true });
  const child = execa('vitest', ['run', ...(bail ? ['--bail=1'] : []), ...tests], {
    ...{ cwd: path, preferLocal: true, localDir: path, reject: false, stdin: 'ignore' },
    // A group of its own, so that Ctrl-C reaches it through endTests.
    ...{ detached: true, stdout: { file: log, append: true }, stderr: { file: log, append: true } },
    env: { TEST_RESULTS: results, TMPDIR: temporary },
  });
  running = child.pid ?? null;
  const late = Symbol();
  const ended = await Promise.race([child, sleep(limitMs, late, { ref: false })]);
  if (ended === late) await stopTests();
  const { exitCode } = await child;
  running = null;
  if (ending) return never();
  const output = readFileSync(log, 'utf8').split('\n').slice(-lastLines).join('\n');
  if (ended === late) return { outcome: 'timeout', failed: [], output };
  if (exitCode === 0) return { outcome: 'passed', failed: [], output };
  const failed = existsSync(results) ? failedIn(path, readFileSync(results, 'utf8')) : [];
  return { outcome: 'failed', failed, output };
}

/** Vitest also reports the files as failed that it has not started because of `--bail`, but without a reason. */
export const failedIn = (root: string, text: string): TestRun['failed'] =>
  report.parse(JSON.parse(text)).testResults.flatMap(({ name, status, message, assertionResults }) => {
    const test = assertionResults.find((one) => one.status === 'failed')?.fullName;
    if (status !== 'failed' || (test === undefined && message === '')) return [];
    return [{ file: relative(root, name), test: test ?? message.split('\n')[0] ?? '' }];
  });

/** Long enough for PostgreSQL and Temporal to end. */
const stopMs = 10_000;

/** Stops the running tests, and starts no others. */
export async function endTests(): Promise<void> {
  ending = true;
  await stopTests();
}

/** Stops the running tests with their servers, which are in process groups of their own. */
async function stopTests(): Promise<void> {
  if (running === null) return;
  const processes = processTree(running);
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of stillRunning(processes)) process.kill(pid, name);
  };
  signal('SIGTERM');
  for (const until = Date.now() + stopMs; Date.now() < until && stillRunning(processes).length > 0; ) await sleep(200);
  signal('SIGKILL');
}
