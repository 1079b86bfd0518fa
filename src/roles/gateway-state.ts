import { backupTimes } from '../backups/backup-rows.ts';
import { earliestCertificateEnd } from '../consumers/certificate-ends.ts';
import type { Database } from '../database/database.ts';
import { partitionsAhead } from '../database/partitions.ts';
import { heldBackSince } from '../events/feed/feed-state.ts';
import { readPause } from '../events/pause.ts';
import { freePendingDeliveries } from '../events/pending-deliveries.ts';
import { workflowBacklog } from '../events/workflow-backlog.ts';
import { countOpenIncidents } from '../incidents/incident-rows.ts';
import { countProcesses } from '../processes/process-rows.ts';
import type { GatewayState } from '../telemetry/metrics/instruments.ts';

const ageS = (since: Date | null, nowMs: number) => (since === null ? 0 : Math.max(0, nowMs - since.getTime()) / 1000);
const secondsOf = (time: Date | null) => (time === null ? null : time.getTime() / 1000);

/**
 * Reads the gauges of the whole gateway from the database. No statement reads more than one entry of a table of events, but
 * for those of paused and disabled consumers: each names its cost. All run on the connections for operators' lists, so that
 * they never take one from ingestion.
 *
 * @throws the database's errors.
 */
export async function readStoredState({
  reader,
}: Pick<Database, 'reader'>): Promise<Omit<GatewayState, 'databaseAvailable' | 'temporalReachable'>> {
  const pending = await freePendingDeliveries(reader);
  const backlog = await workflowBacklog(reader);
  const pause = await readPause(reader);
  const { lastCompletedAt, firstBegunAt } = await backupTimes(reader);
  const ahead = await partitionsAhead(reader, new Date());
  const certificateEnd = await earliestCertificateEnd(reader);
  const heldBack = await heldBackSince(reader);
  const { workers, delivering } = await countProcesses(reader);
  const incidentsOpen = await countOpenIncidents(reader);
  const nowMs = Date.now();
  return {
    pending: pending.count,
    oldestPendingS: ageS(pending.since, nowMs),
    workflowStartsWaiting: backlog.waiting,
    workflowStartOldestS: ageS(backlog.since, nowMs),
    paused: pause !== null,
    lastBackupS: secondsOf(lastCompletedAt),
    firstBackupS: secondsOf(firstBegunAt),
    partitionsAheadDays: ahead,
    certificateEndS: secondsOf(certificateEnd),
    feedLagS: ageS(heldBack, nowMs),
    workersAlive: workers,
    apisDelivering: delivering,
    incidentsOpen,
  };
}
