import { expect } from 'vitest';
import { orderPath } from '../events/bulk/support.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { until } from '../support/until.ts';
import { since } from './backfill-support.ts';
import { holds, type RandomCondition, type RandomWebhook } from './property-model.ts';

/** The consumer of a backfill, as it is from the order to the end of the job. */
interface Target {
  id: string;
  name: string;
  condition: RandomCondition | null;
}

/** A backfill that has ended. It is about webhooks received before its order, which came between these times. */
interface Backfill {
  target: Target;
  fromMs: number;
  untilMs: number;
}

/** The consumers, by their ids, for which backfills make an event of a webhook unless they have one. */
interface Made {
  certain: Set<string>;
  /** Also those of backfills that were ordered while the webhook was sent. */
  possible: Set<string>;
}

/** An order leaves out webhooks of its own millisecond. 2 ms are more than this one and the rounding of both times. */
const marginMs = 2;

/** The backfills of an account, and what the page says of them (docs/several-consumers.md, "Webhooks of the past"). */
export class Backfills {
  readonly #admin: AdminClient;
  readonly #accountId: string;
  readonly #ended: Backfill[] = [];

  constructor(admin: AdminClient, accountId: string) {
    this.#admin = admin;
    this.#accountId = accountId;
  }

  /** Orders a backfill and waits for its end, and the consumer must stay as it is until then. @returns how many events it made */
  async run(target: Target): Promise<number> {
    const fromMs = performance.now();
    const order = await this.#order(target, 202);
    this.#ended.push({ target, fromMs, untilMs: performance.now() });
    const job = await until(`the backfill of ${target.name} has ended`, async () => {
      const { body } = await this.#admin.request('GET', `${orderPath}/${order.id}`);
      return body.ended_at !== null && body;
    });
    expect(job).toMatchObject({ state: 'done', reason: null, failed: 0 });
    return job.done;
  }

  /** Orders a backfill that is refused. */
  async refused(target: Target): Promise<void> {
    await this.#order(target, 409);
  }

  /** What the backfills make of a webhook that was received between these times. */
  of(webhook: RandomWebhook, fromMs: number, untilMs: number): Made {
    const wanting = this.#ended.filter(({ target }) => holds(target.condition, webhook));
    const idsOf = (backfills: Backfill[]) => new Set(backfills.map(({ target }) => target.id));
    return {
      certain: idsOf(wanting.filter((one) => untilMs + marginMs < one.fromMs)),
      possible: idsOf(wanting.filter((one) => fromMs <= one.untilMs)),
    };
  }

  async #order({ name }: Target, status: number) {
    const path = `/admin/accounts/${this.#accountId}/consumers/${name}/backfill`;
    // At the highest rate, so that the account can be changed soon again.
    const answer = await this.#admin.post(path, { since, per_second: 1_000 });
    expect([answer.status, path], JSON.stringify(answer.body)).toEqual([status, path]);
    return answer.body;
  }
}
