import type { Sql } from '../../database/sql.ts';

/** A change of an incident that was read before. */
export interface KnownChange {
  id: string;
  /** The time of the change in microseconds, which a `Date` does not have. */
  version: string;
}

/** A changed incident. */
export interface ChangedIncident extends KnownChange {
  changedAt: Date;
  /** Null: of the gateway itself. */
  accountId: string | null;
  /** The incident in the form of the admin API, as JSON. */
  json: string;
}

/** Reads incidents that have changed since a time, the earliest changes first, without those that are known. May leave out later ones. */
export type ReadIncidents = (sql: Sql, since: Date, known: readonly KnownChange[]) => Promise<ChangedIncident[]>;

/** Clocks of processes and database differ by less, and a transaction that changes incidents is committed within it. */
const lateMs = 30_000;

/** Finds which changes of incidents are new since the last read. */
export class IncidentChanges {
  readonly #read: ReadIncidents;
  /** The last change of each incident that has changed since then. */
  readonly #known = new Map<string, ChangedIncident>();
  #sinceMs: number | null = null;

  constructor(read: ReadIncidents) {
    this.#read = read;
  }

  /** Forgets what was read, because the database is another one or the reads begin again. */
  reset(): void {
    this.#known.clear();
    this.#sinceMs = null;
  }

  /** The incidents that have changed. The first call returns those of the last seconds. */
  async next(sql: Sql): Promise<ChangedIncident[]> {
    const nowMs = Date.now();
    const sinceMs = this.#sinceMs ?? nowMs - lateMs;
    const news = await this.#read(sql, new Date(sinceMs), [...this.#known.values()]);
    for (const one of news) this.#known.set(one.id, one);
    // There may be more after the last one.
    const readToMs = news.at(-1)?.changedAt.getTime() ?? nowMs;
    this.#sinceMs = Math.max(sinceMs, readToMs - lateMs);
    for (const [id, { changedAt }] of this.#known) if (changedAt.getTime() < this.#sinceMs) this.#known.delete(id);
    return news;
  }
}
