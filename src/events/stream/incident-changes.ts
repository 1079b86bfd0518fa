import type { Sql } from '../../database/sql.ts';

/** Reads incidents that have changed since a time. The key is the same for the same change. */
export type ReadIncidents = (
  sql: Sql,
  since: Date,
) => Promise<{ key: string; accountId: string | null; json(): string }[]>;

/** A changed incident, as JSON. */
export interface ChangedIncident {
  accountId: string | null;
  json: string;
}

/** Clocks of processes and database differ by less, and a transaction that changes incidents is committed within it. */
const lateMs = 30_000;

/** Finds which changes of incidents are new since the last read. */
export class IncidentChanges {
  readonly #read: ReadIncidents;
  #known: ReadonlySet<string> = new Set();
  #readAtMs: number | null = null;

  constructor(read: ReadIncidents) {
    this.#read = read;
  }

  /** The incidents that have changed. The first call returns those of the last seconds. */
  async next(sql: Sql): Promise<ChangedIncident[]> {
    const nowMs = Date.now();
    const changed = await this.#read(sql, new Date((this.#readAtMs ?? nowMs) - lateMs));
    const news = changed
      .filter(({ key }) => !this.#known.has(key))
      .map(({ accountId, json }) => ({ accountId, json: json() }));
    this.#known = new Set(changed.map(({ key }) => key));
    this.#readAtMs = nowMs;
    return news;
  }
}
