import { FlushedCounts } from '../../database/flushed-counts.ts';
import type { Sql } from '../../database/sql.ts';
import { latencyBucket } from '../../events/latency.ts';
import type { Log } from '../../shared/log.ts';

const flushMs = 5_000;
const hourMs = 60 * 60_000;
/** How often each worker deletes hours that are no longer kept. */
const forgetMs = hourMs;

/** One attempt that was made and recorded. */
export interface CountedAttempt {
  /** For `default`, the id of the account. */
  consumerId: string;
  startedAt: Date;
  /** Null when there was nothing to send a request to. */
  durationMs: number | null;
  succeeded: boolean;
  /** Whether it was the last one of its event and failed. */
  exhausted: boolean;
}

interface Counts {
  consumerId: string;
  hourMs: number;
  attempts: number;
  failed: number;
  exhausted: number;
  /** The number of attempts by the bucket of their duration. */
  durations: Map<number, number>;
}

// Ordered, so that workers that write the same rows lock them in the same order.
const addCounts = {
  name: 'add_account_deliveries',
  text: `
    insert into account_deliveries as d (account_id, hour, attempts, failed_attempts, exhausted, buckets, numbers)
    select account_id, hour, attempts, failed_attempts, exhausted, buckets::integer[], numbers::integer[]
    from unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::integer[], $5::integer[], $6::text[], $7::text[])
      as g (account_id, hour, attempts, failed_attempts, exhausted, buckets, numbers)
    order by account_id, hour
    on conflict (account_id, hour) do update set
      attempts = d.attempts + excluded.attempts,
      failed_attempts = d.failed_attempts + excluded.failed_attempts,
      exhausted = d.exhausted + excluded.exhausted,
      (buckets, numbers) = (
        select coalesce(array_agg(bucket order by bucket), '{}'), coalesce(array_agg(n order by bucket), '{}') from (
          select bucket, sum(n)::integer as n from (
            select * from unnest(d.buckets, d.numbers) as before (bucket, n)
            union all select * from unnest(excluded.buckets, excluded.numbers) as more (bucket, n)
          ) both_of_them group by bucket
        ) sums
      )`,
};

const forgetHours = {
  name: 'forget_account_deliveries',
  text: `delete from account_deliveries where hour < now() - interval '32 days'`,
};

const arrayText = (numbers: Iterable<number>) => `{${[...numbers].join()}}`;

/** Counts the attempts of each consumer by the hour in memory, and writes the counts every few seconds. */
export class ConsumerCounts {
  readonly #counts: FlushedCounts<Counts>;
  #forgotAtMs = Number.NEGATIVE_INFINITY;

  constructor({ sql, log }: { sql: Sql; log: Log }) {
    this.#counts = new FlushedCounts({
      ...{ name: 'attempts by account', flushMs, log },
      add(to, more) {
        to.attempts += more.attempts;
        to.failed += more.failed;
        to.exhausted += more.exhausted;
        for (const [bucket, n] of more.durations) to.durations.set(bucket, (to.durations.get(bucket) ?? 0) + n);
      },
      write: async (rows) => {
        await sql.query(addCounts, [
          rows.map((row) => row.consumerId),
          rows.map((row) => new Date(row.hourMs)),
          rows.map((row) => row.attempts),
          rows.map((row) => row.failed),
          rows.map((row) => row.exhausted),
          rows.map((row) => arrayText(row.durations.keys())),
          rows.map((row) => arrayText(row.durations.values())),
        ]);
        await this.#forget(sql);
      },
    });
  }

  /** Counts an attempt. */
  attempted({ consumerId, startedAt, durationMs, succeeded, exhausted }: CountedAttempt): void {
    const hour = Math.floor(startedAt.getTime() / hourMs) * hourMs;
    this.#counts.count(`${consumerId}/${hour}`, {
      ...{ consumerId, hourMs: hour, attempts: 1, failed: succeeded ? 0 : 1, exhausted: exhausted ? 1 : 0 },
      durations: new Map(durationMs === null ? [] : [[latencyBucket(durationMs), 1]]),
    });
  }

  start(): void {
    this.#counts.start();
  }

  /** Stops writing, after the counts that are left. */
  stop(): Promise<void> {
    return this.#counts.stop();
  }

  async #forget(sql: Sql): Promise<void> {
    if (performance.now() - this.#forgotAtMs < forgetMs) return;
    this.#forgotAtMs = performance.now();
    await sql.query(forgetHours, []);
  }
}
