/** The keys of the gateway's advisory locks. They are unique, and the same in all processes and versions. */
export const lockKeys = {
  /** Held by the process that migrates. */
  migration: 7_233_808_001,
  /** Held while partitions are created. */
  partitions: 7_233_808_002,
  /** Held while the chain of the audit log is changed. */
  auditChain: 7_233_808_003,
  /** Held while the deltas of the statistics are folded. */
  statistics: 7_233_808_004,
  /** Held while the list of backups is compared with the stored files. */
  backups: 7_233_808_005,
  /**
   * Held shared by transactions that write sealed values, and exclusively while a key is retired. The functions
   * refuse_retired_key() and refuse_retired_mac() contain this number.
   */
  retiredKeys: 7_233_808_006,
  /** Held while a bulk job is ordered, so that concurrent orders do not exceed the number of jobs. */
  bulkOrders: 7_233_808_007,
  /** Held while refused admin calls are counted and written, so that all processes share one limit. */
  deniedCalls: 7_233_808_008,
  /** Held while incidents are opened and resolved. */
  incidents: 7_233_808_009,
  /** Held while messages about incidents are claimed, so that all processes share the limits of a place. */
  incidentMessages: 7_233_808_030,
  /** Held while reminders of open incidents are added, so that each is added once. */
  incidentReminders: 7_233_808_031,
  /** Held while a token is stored, so that concurrent calls do not exceed the number of tokens. */
  adminTokens: 7_233_808_032,
} as const;
