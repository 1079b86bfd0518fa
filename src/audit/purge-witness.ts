import type { AuditFault } from './chain.ts';
import type { EntryContent } from './entry-content.ts';
import type { ChainPoint } from './seals.ts';

/**
 * Checks the anchor against the `audit.purge` entries, each of which repeats its anchor. One entry must repeat the
 * current anchor. If an entry has a later anchor, the current one was set back.
 */
export class PurgeWitness {
  readonly #anchor: ChainPoint | null;
  #repeated = false;
  #latest = 0;

  constructor(anchor: ChainPoint | null) {
    this.#anchor = anchor;
  }

  /** @param entry an entry that was found unchanged. */
  see({ action, details }: EntryContent): void {
    if (action !== 'audit.purge') return;
    const { anchor }: { anchor?: { seq: number; seal: string } | null } = JSON.parse(details);
    if (!anchor) return;
    this.#latest = Math.max(this.#latest, anchor.seq);
    this.#repeated ||= anchor.seq === this.#anchor?.seq && anchor.seal === this.#anchor.seal.toString('hex');
  }

  /** The fault, or null. Call it after all entries were seen. */
  fault(): AuditFault | null {
    const seq = this.#anchor?.seq ?? 0;
    const fault = (kind: AuditFault['kind'], message: string) => ({ kind, seq, id: null, message });
    if (this.#latest > seq) return fault('changed', `the anchor was set back: a purge went up to ${this.#latest}`);
    if (this.#anchor && !this.#repeated)
      return fault('missing', 'the entry of the purge that set the anchor is missing');
    return null;
  }
}
