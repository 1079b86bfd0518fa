import type { Injected } from '../inject.ts';
import type { Webhook } from '../load.ts';
import { Random } from '../random.ts';
import { type Rows, readRows } from '../rows.ts';
import type { Stage } from '../stage.ts';
import { untilUp } from '../until-up.ts';
import { checkAnswers } from './answers.ts';
import { checkAttempts } from './attempts.ts';
import { checkCancelled } from './cancelled.ts';
import { checkConsumer } from './consumer.ts';
import { checkDenied } from './denied.ts';
import { disruptionsOf } from './disruptions.ts';
import { checkDuplicateNotices, countDuplicates, type Duplicates } from './duplicates.ts';
import { checkEvents } from './events.ts';
import { checkHistories } from './histories.ts';
import { checkNotifications } from './notifications.ts';
import { checkRunning } from './running.ts';
import { checkStatistics } from './statistics.ts';

/** Makes all checks and stops the roles. Returns the failed checks in words, with what they were made on. */
export async function checkAll(
  stage: Stage,
  run: { seed: number; webhooks: readonly Webhook[]; injected: readonly Injected[]; stopLimitMs: number },
): Promise<{ rows: Rows; duplicates: Duplicates; failures: string[] }> {
  // One that a fault has killed may still be starting: it would neither answer nor stop gracefully.
  for (const role of stage.roles.values()) await untilUp(role.name, async () => role.isRunning);
  const { seen } = stage.consumer;
  const { notices } = stage.receiver;
  const { port } = stage.temporal;
  const rows = await readRows(stage.postgres);
  const failures: string[] = [];
  for (const { name, crashes } of stage.roles.values())
    for (const how of crashes) failures.push(`${name} ended by itself: ${how}`);
  // Workers make retries, and where no api delivers, first attempts too. They send all notifications.
  const disruptions = disruptionsOf(run.injected, stage.apiDelivers ? ['api', 'worker'] : ['worker']);
  const duplicates = countDuplicates(seen, disruptions);
  failures.push(
    ...checkEvents(rows, run.webhooks),
    ...checkAttempts(rows),
    ...checkConsumer(rows, seen, disruptions),
    ...duplicates.failures,
    ...checkNotifications(rows, notices),
    ...checkDuplicateNotices(notices, disruptionsOf(run.injected, ['worker'])),
    ...(await checkAnswers(stage, rows)),
    ...(await checkDenied(stage.postgres)),
    ...(await checkHistories(rows, { port, byHand: stage.byHand, random: new Random(run.seed + 2) })),
    ...(await checkRunning(rows, port)),
    ...(await checkCancelled(rows, { port, byHand: stage.byHand, seen, injected: run.injected })),
  );
  await Promise.all(
    [...stage.roles.values()].map(async (role) => {
      const how = await role.stop(run.stopLimitMs);
      if (how !== 'ended with code 0') failures.push(`${role.name} did not stop gracefully: ${how}`);
    }),
  );
  failures.push(...(await checkStatistics(stage.postgres.urlBy(stage.postgres.port))));
  return { rows, duplicates, failures };
}
