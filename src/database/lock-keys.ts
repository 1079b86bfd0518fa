/** The advisory locks of the gateway; each of its own number, the same in all processes and versions. */
export const lockKeys = {
  /** One process migrates. */
  migration: 7_233_808_001,
  /** One makes partitions. */
  partitions: 7_233_808_002,
  /** One changes the audit log's chain. */
  auditChain: 7_233_808_003,
  /** One folds the statistics. */
  statistics: 7_233_808_004,
  /** One compares the list of backups with their store. */
  backups: 7_233_808_005,
  /** Shared: writers of what names its key. Alone: the one that retires a key. The function refuse_retired_key() knows the number. */
  retiredKeys: 7_233_808_006,
} as const;
