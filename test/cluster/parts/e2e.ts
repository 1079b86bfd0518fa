import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { ownFolder } from '../../faults/ground.ts';
import { embeddedOnly } from '../e2e/embedded-only.ts';
import type { ClusterGround } from '../ground.ts';
import type { ClusterCommand } from '../options.ts';
import type { PartResult } from '../part.ts';

/**
 * Files at once: each has two apis, two workers and its consumers, and the servers share the cores with them. More at once
 * would only be slower.
 */
const filesAtOnce = 1;

const report = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().optional(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/**
 * Runs the end-to-end tests with two apis behind a balancer and two workers as processes, on servers of a cluster of
 * Vitest's own (test/cluster/e2e/). Tests that need what only the embedded servers have are named, not run.
 */
export async function runEndToEnd(_: ClusterGround, { tests }: Pick<ClusterCommand, 'tests'>): Promise<PartResult> {
  for (const { name, why } of embeddedOnly) console.log(`not run: ${name}, because ${why}`);
  const { folder, remove } = ownFolder('gateway-e2e-');
  const results = join(folder, 'results.json');
  try {
    const { exitCode } = await execa(
      'vitest',
      [
        ...['run', ...tests, `--maxWorkers=${filesAtOnce}`],
        ...(embeddedOnly.length > 0 ? [`--testNamePattern=${withoutThese(embeddedOnly.map(({ name }) => name))}`] : []),
      ],
      { env: { TEST_CLUSTER: 'yes', TEST_RESULTS: results }, stdio: 'inherit', preferLocal: true, reject: false },
    );
    const { numPassedTests, testResults } = report.parse(JSON.parse(readFileSync(results, 'utf8')));
    const failures = testResults.flatMap(({ name, status, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName);
      return status === 'failed' && failed.length === 0 ? [`${name} could not be run`] : failed;
    });
    if (exitCode !== 0 && failures.length === 0) failures.push(`vitest ended with code ${exitCode}`);
    return { said: `${numPassedTests} tests passed, ${embeddedOnly.length} not run`, failures };
  } finally {
    remove();
  }
}

/** A pattern that matches every name but these. */
export const withoutThese = (names: readonly string[]): string =>
  `^(?!(?:${names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$)`;
