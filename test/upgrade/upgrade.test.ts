import { expect, inject, onTestFinished, test } from 'vitest';
import { ownFolder } from '../faults/ground.ts';
import { freshDatabase } from '../support/database.ts';
import { queryOnce } from '../support/one-connection.ts';
import { secretText } from '../support/secrets.ts';
import { roll } from './roll.ts';

// A twentieth of the rate of `npm run upgrade-test`, and no limit of time, because other tests run at the same time.
test('each process is replaced by this release and back under load: nothing is refused, lost or repeated', async () => {
  const databaseUrl = await freshDatabase();
  const { folder, remove } = ownFolder('gateway-upgrade-');
  onTestFinished(remove);
  const { firstMs, retryLateMs, undisturbedLateMs, latest, twice, takenOver, ...report } = await roll({
    ...{ folder, databaseUrl, temporalAddress: inject('temporalAddress') },
    ...{
      rate: 10,
      flakyEvery: 10,
      eventWorkflows: 'always',
      quietMs: 500,
      compileCache: inject('compileCache'),
      onProgress: (line) => process.env.UPGRADE_LOG && console.log(new Date().toISOString(), line),
    },
    onStart: onTestFinished,
    secrets: { admin: secretText('upgrade-admin'), signing: secretText('upgrade-signing') },
    query: (sql) => queryOnce(databaseUrl, sql),
  });
  if (process.env.UPGRADE_LOG) console.log(firstMs, retryLateMs, undisturbedLateMs, latest, report);
  expect(report).toEqual({ sent: expect.any(Number), refused: {}, lost: [], undelivered: [] });
  // While a process stands still for 4 s, another takes over its claims and makes its attempts again.
  expect(twice.length, `${twice}, ${takenOver} taken over`).toBeLessThanOrEqual(takenOver);
  expect(report.sent).toBeGreaterThan(50);
  // Events waited in workflows while the workers were replaced.
  expect([firstMs.count, retryLateMs.count > 5]).toEqual([report.sent, true]);
}, 900_000);
