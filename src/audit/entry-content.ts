/** The content of an entry's row, each column as the text that its MAC is over. */
export interface EntryContent {
  id: string;
  actor: string;
  action: string;
  ip_address: string;
  /** Seconds since 1970 with six decimals, as PostgreSQL's `extract(epoch …)` writes them: no digit can change unseen. */
  epoch: string;
  /** The JSON text. */
  details: string;
  /**
   * The latest head of the chain that the writer knew of. Whoever takes an entry away and has the chain made anew without it
   * would have to take away all later entries as well.
   */
  noted_seq: string | null;
  noted_seal: Buffer | null;
}

/** The columns of {@link EntryContent} with the MAC, in a select of `audit_logs`. */
export const contentColumns =
  'id, actor, action, ip_address, extract(epoch from created_at)::text as epoch, details::text as details, noted_seq, noted_seal, mac';
