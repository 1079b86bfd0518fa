import { type Purpose, purposes } from '../../workflows/queues.ts';

/**
 * The purposes that a worker takes.
 *
 * @param named WORKER_QUEUES; null when it is not set.
 * @param worker.hasBackupPlace whether the worker has a folder or a bucket for backups. Without one it makes none.
 */
export function takenQueues(
  named: readonly Purpose[] | null,
  worker: { hasBackupPlace: boolean },
): ReadonlySet<Purpose> {
  return new Set((named ?? purposes).filter((purpose) => purpose !== 'backups' || worker.hasBackupPlace));
}
