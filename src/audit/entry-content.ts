/** The content of an entry's row. Each column is the text that the MAC covers. */
export interface EntryContent {
  id: string;
  actor: string;
  action: string;
  ip_address: string;
  /**
   * Seconds since 1970 with six decimals, as `extract(epoch …)` writes them, so that a change of any digit is detected.
   */
  epoch: string;
  /** The JSON text. */
  details: string;
  /**
   * The latest head of the chain that the writer knew. An attacker who deletes an entry and lets the gateway seal the
   * rest again would also have to delete all later entries.
   */
  noted_seq: string | null;
  noted_seal: Buffer | null;
}

/** The columns of {@link EntryContent} with the MAC, in a select of `audit_logs`. */
export const contentColumns =
  'id, actor, action, ip_address, extract(epoch from created_at)::text as epoch, details::text as details, noted_seq, noted_seal, mac';
