import { expect } from 'vitest';
import type { Random } from '../faults/random.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { Backfills } from './property-backfills.ts';
import { holds, type RandomCondition, type RandomWebhook, randomCondition } from './property-model.ts';

/** What decides whether a consumer gets a webhook. */
export interface Settings {
  id: string;
  name: string;
  enabled: boolean;
  condition: RandomCondition | null;
}

/** The consumers of an account at one moment. */
export interface Moment {
  consumers: Settings[];
  /** Whether `default` has an address. */
  hasAddress: boolean;
}

/** A moment, and when it may have begun: after `fromMs` and until `untilMs`. */
interface Step {
  moment: Moment;
  fromMs: number;
  untilMs: number;
}

/** What a webhook yields: the ids of the consumers of its events, and the names of those whose condition did not hold. */
export interface Yield {
  events: string[];
  unmatched: string[];
}

/** The table "Which consumers get a webhook". */
function yieldOf({ consumers, hasAddress }: Moment, webhook: RandomWebhook): Yield {
  const asked = consumers.filter(({ name }) => name !== 'default' || hasAddress || consumers.length === 1);
  const enabled = asked.filter((consumer) => consumer.enabled);
  const wanting = enabled.filter(({ condition }) => holds(condition, webhook));
  return {
    events: wanting.map(({ id }) => id).sort(),
    unmatched: enabled
      .filter((consumer) => !wanting.includes(consumer))
      .map(({ name }) => name)
      .sort(),
  };
}

/**
 * An account whose consumers are changed at random, one change at a time. It keeps every moment with its time, so that a
 * webhook can be compared with those that it may have met.
 */
export class ChangingAccount {
  readonly id: string;
  readonly address: { provider: string; account_slug: string };
  readonly #admin: AdminClient;
  readonly #url: (name: string) => string;
  readonly #steps: Step[];
  /** Ids of consumers that were deleted. */
  readonly deleted = new Set<string>();
  readonly backfills: Backfills;
  /** By the id of the consumer. */
  readonly #urls = new Map<string, string>();
  #created = 0;

  private constructor(
    account: { id: string; provider: string; account_slug: string; delivery_url: string | null },
    admin: AdminClient,
    url: (name: string) => string,
  ) {
    this.id = account.id;
    this.address = { provider: account.provider, account_slug: account.account_slug };
    this.#admin = admin;
    this.#url = url;
    this.backfills = new Backfills(admin, account.id);
    const own: Settings = { id: account.id, name: 'default', enabled: true, condition: null };
    const moment = { consumers: [own], hasAddress: account.delivery_url !== null };
    this.#steps = [{ moment, fromMs: 0, untilMs: 0 }];
  }

  /** An account with up to five consumers besides `default`. */
  static async create(random: Random, admin: AdminClient, url: (name: string) => string): Promise<ChangingAccount> {
    const created = await admin.createAccount(random.chance(0.7) ? { delivery_url: url('default') } : {});
    const account = new ChangingAccount(created, admin, url);
    const count = Math.floor(random.between(0, 6));
    for (let n = 0; n < count; n++) await account.#add(random);
    for (let n = 0; n < 3; n++) await account.change(random);
    return account;
  }

  get now(): Moment {
    const step = this.#steps.at(-1);
    if (!step) throw new Error('an account has a first moment');
    return step.moment;
  }

  /** What each moment yields that was in force at some time between these. */
  possible(webhook: RandomWebhook, fromMs: number, untilMs: number): Yield[] {
    return this.moments(fromMs, untilMs).map((moment) => yieldOf(moment, webhook));
  }

  /** The moments that were in force at some time between these. */
  moments(fromMs: number, untilMs: number): Moment[] {
    return this.#steps
      .filter(
        (step, n) => step.fromMs <= untilMs && (this.#steps[n + 1]?.untilMs ?? Number.POSITIVE_INFINITY) >= fromMs,
      )
      .map(({ moment }) => moment);
  }

  /** The path of a consumer's address; null: `default`. */
  urlOf(consumerId: string | null): string {
    return new URL(consumerId === null ? this.#url('default') : (this.#urls.get(consumerId) ?? '')).pathname;
  }

  /** Makes one random change, or a backfill. */
  async change(random: Random): Promise<void> {
    const { consumers } = this.now;
    const some = random.pick(consumers);
    // A backfill takes a second or more, in which webhooks meet no change. So it is rare.
    if (random.chance(0.04)) {
      await this.backfill(some, random.chance(0.5));
      return;
    }
    const path = `/admin/accounts/${this.id}/consumers/${some.name}`;
    const what = random.pick([
      'condition',
      'condition',
      'enabled',
      'enabled',
      'add',
      'delete',
      'pause',
      'resume',
      'address',
      'rename',
    ] as const);
    switch (what) {
      case 'condition': {
        const condition = random.chance(0.25) ? null : randomCondition(random);
        return this.#make(200, 'PATCH', path, { condition: condition?.text ?? null }, () =>
          this.#with(some, { condition }),
        );
      }
      case 'enabled':
        return this.#make(200, 'PATCH', path, { enabled: !some.enabled }, () =>
          this.#with(some, { enabled: !some.enabled }),
        );
      case 'add':
        return consumers.length < 6 ? this.#add(random) : undefined;
      case 'delete':
        if (some.name === 'default') return this.#make(409, 'DELETE', path, undefined, () => this.now);
        this.deleted.add(some.id);
        return this.#make(204, 'DELETE', path, undefined, () => this.#without(some));
      case 'rename':
        if (some.name === 'default') return;
        return this.#make(200, 'PATCH', path, { name: `r-${++this.#created}` }, ({ name }) =>
          this.#with(some, { name }),
        );
      case 'pause':
      case 'resume':
        return this.#make(200, 'POST', `${path}/${what}`, undefined, () => this.now);
      case 'address': {
        const hasAddress = !this.now.hasAddress;
        const body = { delivery_url: hasAddress ? this.#url('default') : null };
        return this.#make(200, 'PATCH', `/admin/accounts/${this.id}`, body, () => ({ ...this.now, hasAddress }));
      }
      default:
        return what satisfies never;
    }
  }

  /**
   * Backfills a consumer. The order is refused if the consumer is disabled or has no address.
   *
   * @returns how many events each backfill has made
   */
  async backfill(consumer: Settings, twice: boolean): Promise<number[]> {
    const hasUrl = consumer.name !== 'default' || this.now.hasAddress;
    if (!consumer.enabled || !hasUrl) {
      await this.backfills.refused(consumer);
      return [];
    }
    const first = await this.backfills.run(consumer);
    return twice ? [first, await this.backfills.run(consumer)] : [first];
  }

  /** Lets all waiting events be delivered. */
  async release(): Promise<void> {
    const { consumers, hasAddress } = this.now;
    if (!hasAddress)
      await this.#make(200, 'PATCH', `/admin/accounts/${this.id}`, { delivery_url: this.#url('default') }, () => ({
        ...this.now,
        hasAddress: true,
      }));
    for (const { name } of consumers) {
      const path = `/admin/accounts/${this.id}/consumers/${name}`;
      await this.#make(200, 'PATCH', path, { enabled: true }, () => this.now);
      await this.#make(200, 'POST', `${path}/resume`, undefined, () => this.now);
    }
  }

  #add(random: Random): Promise<void> {
    const name = `c-${++this.#created}`;
    const condition = random.chance(0.3) ? null : randomCondition(random);
    const enabled = random.chance(0.8);
    const body = { name, url: this.#url(name), condition: condition?.text ?? null, enabled };
    return this.#make(201, 'POST', `/admin/accounts/${this.id}/consumers`, body, ({ id }) => {
      this.#urls.set(id, body.url);
      return { ...this.now, consumers: [...this.now.consumers, { id, name, enabled, condition }] };
    });
  }

  async #make(
    status: number,
    method: string,
    path: string,
    body: unknown,
    next: (answer: { id: string; name: string }) => Moment,
  ): Promise<void> {
    const fromMs = performance.now();
    // A moment that is not known yet stands for the time of the change: a webhook may have met it already.
    const step: Step = { moment: this.now, fromMs, untilMs: Number.POSITIVE_INFINITY };
    const answer = await this.#admin.request(method, path, body);
    expect([answer.status, method, path, body], JSON.stringify(answer.body)).toEqual([status, method, path, body]);
    step.moment = next(answer.body ?? {});
    step.untilMs = performance.now();
    this.#steps.push(step);
  }

  #with(some: Settings, change: Partial<Settings>): Moment {
    return { ...this.now, consumers: this.now.consumers.map((one) => (one === some ? { ...one, ...change } : one)) };
  }

  #without(some: Settings): Moment {
    return { ...this.now, consumers: this.now.consumers.filter((one) => one !== some) };
  }
}
