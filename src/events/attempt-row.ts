import type { AccountSecrets } from '../accounts/account-mask.ts';
import type { DeliveryOptions } from '../accounts/delivery-options.ts';
import type { ConsumerAddress } from '../accounts/delivery-target.ts';
import { Batcher } from '../database/batcher.ts';
import { databaseClock } from '../database/clock.ts';
import type { Sql } from '../database/sql.ts';
import { columnsOf } from '../shared/columns-of.ts';
import type { AttemptName, DeliveryStatus, EventStatus } from './event.ts';
import { idRange } from './id-range.ts';
import { lanes } from './lanes.ts';
import { type Pause, pauseValue, resumedValue, toPause, toResumedAt } from './pause.ts';

/** The data of one attempt. It is read for every attempt, so that a corrected URL also applies to waiting events. */
export interface AttemptRow {
  eventId: string;
  generation: number;
  generationAt: Date;
  status: EventStatus;
  deliveryStatus: DeliveryStatus | null;
  nextAttemptAt: Date | null;
  /** The number of the next scheduled attempt. */
  nextNumber: number;
  heldSince: Date | null;
  /** The outcome of the attempt of this name; null if it was not recorded yet. */
  recordedOutcome: string | null;
  /** Whether an api is making the next attempt of this generation at this moment. */
  relayAttempting: boolean;
  /** The token of the process that holds the event's claim; null if no claim is in force. */
  claimToken: string | null;
  /** The pause in force; null if deliveries are not paused. */
  pause: Pause | null;
  /** When the last pause of all deliveries ended; null if there was none. */
  resumedAt: Date | null;
  provider: string;
  accountSlug: string;
  eventType: string | null;
  externalId: string;
  /** The webhook: the id of its first event. */
  requestId: string;
  /** Whether the event was made by a backfill. */
  backfilled: boolean;
  account: AccountSecrets & Pick<OwnerState, 'enabled' | 'deleted' | 'pausedSince'>;
  consumer: OwnerState & { name: string; options: DeliveryOptions | null };
  headers: [name: string, value: string][];
  contentType: string | null;
  /** Null for a body of more than 64 KiB that is still in the database: see `AttemptReader.readBody`. */
  body: Uint8Array | null;
  bodyBytes: number;
  /** The span of the webhook; null if it was received while tracing was off. */
  traceparent: string | null;
  /** As {@link databaseClock}. */
  nowMs(): number;
  /** When the states of account and consumer were read, by the clock of `performance`. */
  readMs: number;
}

/** The state of a consumer, or of an account. */
interface OwnerState {
  /** The id of the consumer; for `default`, that of the account. */
  id: string;
  enabled: boolean;
  deleted: boolean;
  pausedSince: Date | null;
}

/** What an attempt needs besides its event: the states of account, consumer and pause, at one moment. */
export type Circumstances = Pick<AttemptRow, 'account' | 'consumer' | 'pause' | 'resumedAt' | 'nowMs' | 'readMs'>;

/** The columns of `Circumstances`, for a statement in which `accounts` has the alias `a` and `consumers` the alias `c`. */
export const circumstanceColumns = `${pauseValue} as pause, ${resumedValue} as resumed, clock_timestamp() as read_at,
      a.id as account_id, a.enabled, a.deleted_at is not null as deleted, a.paused_since as "pausedSince", a.provider as account_provider,
      case when c.id is not null then json_build_object('id', c.id, 'name', c.name, 'enabled', c.enabled, 'deleted', c.deleted_at is not null,
        'pausedSince', c.paused_since, 'options', c.options) end as consumer,
      case when c.id <> a.id then c.url end as "consumerUrl", c.url_credentials as "consumerUrlCredentials", c.secret as "consumerSecret", c.sealed_options as "sealedOptions",
      a.delivery_url as "deliveryUrl", a.delivery_url_credentials as "deliveryUrlCredentials",
      a.delivery_secret as "deliverySecret", a.project_delivery_url as "projectDeliveryUrl",
      a.project_delivery_url_credentials as "projectDeliveryUrlCredentials",
      a.project_delivery_secret as "projectDeliverySecret", a.signing_secret_current as "signingSecretCurrent",
      a.signing_secret_previous as "signingSecretPrevious", a.provider_config as "providerConfig"`;

export type CircumstanceRow = Omit<AttemptRow['account'], 'id' | 'provider' | 'consumer'> & {
  /** Null: `default`, of which no setting was changed. */
  consumer: (Omit<AttemptRow['consumer'], 'pausedSince'> & { pausedSince: string | null }) | null;
  /** Null: `default`. */
  consumerUrl: string | null;
  consumerUrlCredentials: Buffer | null;
  consumerSecret: Buffer | null;
  pause: Buffer | null;
  resumed: Buffer | null;
  read_at: Date;
  account_id: string;
  account_provider: string;
};

/** Bodies up to this size come with their row: a second statement would cost more than they do. */
const inlineBytes = 64 * 1024;

const readAttempts = {
  name: 'read_attempts',
  text: `
    select i.place, e.id as "eventId", e.generation, e.generation_at as "generationAt", e.status, e.delivery_status as "deliveryStatus",
      e.next_attempt_at as "nextAttemptAt", e.scheduled_attempts + 1 as "nextNumber", e.held_since as "heldSince", d.outcome as "recordedOutcome",
      coalesce((q.lane = ${lanes.firstAttempt} or q.direct) and q.claim_token is not null and q.generation = e.generation and q.claimed_until > now(), false) as "relayAttempting",
      case when q.claimed_until > now() then q.claim_token end as "claimToken",
      e.provider, e.account_slug as "accountSlug", e.event_type as "eventType", e.external_id as "externalId",
      coalesce(e.request_id, e.id) as "requestId", e.backfilled_at is not null as backfilled, ${circumstanceColumns},
      p.headers, p.content_type as "contentType", p.traceparent, octet_length(p.body) as "bodyBytes", case when octet_length(p.body) <= ${inlineBytes} then p.body end as body
    from unnest($1::uuid[], $2::integer[], $3::text[], $4::integer[]) with ordinality as i (event_id, generation, trigger, number, place)
    join events e on e.id = i.event_id and e.id between $5 and $6
    join event_payloads p on p.event_id = coalesce(e.request_id, e.id) and p.event_id between $5 and $6
    join accounts a on a.id = e.account_id
    left join consumers c on c.id = coalesce(e.consumer_id, e.account_id)
    left join event_queue q on q.event_id = i.event_id
    left join delivery_attempts d on d.event_id = i.event_id and d.event_id between $5 and $6 and d.generation = i.generation and d.trigger = i.trigger
      and d.number = coalesce(i.number, e.scheduled_attempts + 1)`,
};

type Row = CircumstanceRow & Omit<AttemptRow, keyof Circumstances> & { place: string };

/** The name of the statement, in traces. */
export const readAttemptsName = readAttempts.name;

const readBodies = {
  name: 'read_attempt_bodies',
  text: 'select event_id, body from event_payloads where event_id = any($1::uuid[]) and event_id between $2 and $3',
};

/** Rows per statement: with their bodies, an answer has at most 4 MiB, and twice that in hexadecimal. */
const maxBatch = 64;
/** Bytes of large bodies per statement, unless one alone has more. While it is read, a body takes five times its size. */
const maxBodyBatchBytes = 8 * 1024 * 1024;

/** The name of an attempt; without a number, the next one of the schedule is meant. */
export type AskedAttempt = Omit<AttemptName, 'number'> & { number: number | null };

/** Reads the rows of attempts; concurrent reads share one statement. */
export class AttemptReader {
  readonly #batcher: Batcher<AskedAttempt, { row: AttemptRow | null }>;
  readonly #bodies: Batcher<Pick<AttemptRow, 'requestId' | 'bodyBytes'>, { body: Uint8Array | null }>;

  constructor(sql: Sql) {
    this.#batcher = new Batcher(
      async (names) => {
        const rows = await sql.query<Row>(readAttempts, [
          ...columnsOf(names, 'eventId', 'generation', 'trigger', 'number'),
          ...idRange(names.map((n) => n.eventId)),
        ]);
        const found = new Map(rows.map((row) => [Number(row.place), toAttemptRow(row)]));
        return names.map((_, index) => ({ row: found.get(index + 1) ?? null }));
      },
      { maxBatch, maxRunning: 2 },
    );
    this.#bodies = new Batcher(
      async (events) => {
        const ids = events.map(({ requestId }) => requestId);
        const rows = await sql.query<{ event_id: string; body: Buffer }>(readBodies, [ids, ...idRange(ids)]);
        const found = new Map(rows.map(({ event_id: id, body }) => [id, body]));
        return ids.map((id) => ({ body: found.get(id) ?? null }));
      },
      {
        ...{ maxBatch, maxRunning: 1 },
        bytes: { of: ({ bodyBytes }) => bodyBytes, maxBatch: maxBodyBatchBytes, maxWaiting: Number.POSITIVE_INFINITY },
      },
    );
  }

  /** Null when the event does not exist (its partition was dropped). Throws the database's errors. */
  async read(name: AskedAttempt): Promise<AttemptRow | null> {
    return (await this.#batcher.add(name)).row;
  }

  /**
   * Reads the body of an event whose row came without it. The caller bounds the bytes of all bodies (`BodyRoom`).
   *
   * @returns null when the event does not exist any more.
   * @throws the database's errors.
   */
  async readBody(row: AttemptRow): Promise<Uint8Array | null> {
    return (await this.#bodies.add(row)).body;
  }
}

function toAttemptRow(row: Row): AttemptRow {
  const { eventId, generation, generationAt, status, deliveryStatus, nextAttemptAt, nextNumber, heldSince } = row;
  const { recordedOutcome, relayAttempting, claimToken, provider, accountSlug, eventType, externalId } = row;
  const { headers, contentType, body, bodyBytes, traceparent, requestId, backfilled } = row;
  return {
    ...{ eventId, generation, generationAt, status, deliveryStatus, nextAttemptAt, nextNumber, heldSince },
    ...{ recordedOutcome, relayAttempting, claimToken, provider, accountSlug, eventType, externalId },
    ...{ headers, contentType, body, bodyBytes, traceparent, requestId, backfilled },
    ...toCircumstances(row),
  };
}

export function toCircumstances(row: CircumstanceRow): Circumstances {
  const { enabled, deleted, pausedSince, deliveryUrl, deliveryUrlCredentials, deliverySecret } = row;
  const { projectDeliveryUrl, projectDeliveryUrlCredentials, projectDeliverySecret } = row;
  const { signingSecretCurrent, signingSecretPrevious, providerConfig } = row;
  return {
    pause: toPause(row.pause),
    resumedAt: toResumedAt(row.resumed),
    account: {
      ...{ id: row.account_id, provider: row.account_provider, enabled, deleted, pausedSince },
      ...{ deliveryUrl, deliveryUrlCredentials, deliverySecret },
      ...{ projectDeliveryUrl, projectDeliveryUrlCredentials, projectDeliverySecret },
      ...{ signingSecretCurrent, signingSecretPrevious, providerConfig },
      consumer: consumerAddress(row),
      sealedOptions: row.sealedOptions,
    },
    consumer: toConsumer(row),
    nowMs: databaseClock(row.read_at),
    readMs: performance.now(),
  };
}

function toConsumer({ consumer, account_id: id }: CircumstanceRow): AttemptRow['consumer'] {
  if (consumer === null)
    return { id, name: 'default', enabled: true, deleted: false, pausedSince: null, options: null };
  const { pausedSince } = consumer;
  return { ...consumer, pausedSince: pausedSince === null ? null : new Date(pausedSince) };
}

function consumerAddress({ consumer, consumerUrl: url, ...row }: CircumstanceRow): ConsumerAddress | null {
  if (consumer === null || url === null) return null;
  return { id: consumer.id, url, urlCredentials: row.consumerUrlCredentials, secret: row.consumerSecret };
}
