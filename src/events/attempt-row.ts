import type { AccountSecrets } from '../accounts/account-mask.ts';
import { Batcher } from '../database/batcher.ts';
import { databaseClock } from '../database/clock.ts';
import type { Sql } from '../database/sql.ts';
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
  heldSince: Date | null;
  /** The outcome of the attempt of this name; null if it was not recorded yet. */
  recordedOutcome: string | null;
  /** Whether the relay is making the first attempt of this generation itself at this moment. */
  relayAttempting: boolean;
  /** The token of the process that holds the event's claim; null if no lease is in force. */
  claimToken: string | null;
  /** The pause in force; null if deliveries are not paused. */
  pause: Pause | null;
  /** When the last pause ended; null if there was none. */
  resumedAt: Date | null;
  provider: string;
  accountSlug: string;
  eventType: string | null;
  externalId: string;
  account: AccountSecrets & { enabled: boolean; deleted: boolean };
  headers: [name: string, value: string][];
  contentType: string | null;
  /** Null for a body of more than 64 KiB that is still in the database: see `AttemptReader.readBody`. */
  body: Uint8Array | null;
  bodyBytes: number;
  /** The span of the webhook; null if it was received while tracing was off. */
  traceparent: string | null;
  /** As {@link databaseClock}. */
  nowMs(): number;
}

/** What an attempt needs besides its event: the state of the account and of the pause, at one moment. */
export type Circumstances = Pick<AttemptRow, 'account' | 'pause' | 'resumedAt' | 'nowMs'>;

/** The columns of `Circumstances`, for a statement in which `accounts` has the alias `a`. */
export const circumstanceColumns = `${pauseValue} as pause, ${resumedValue} as resumed, clock_timestamp() as read_at,
      a.id as account_id, a.enabled, a.deleted_at is not null as deleted, a.provider as account_provider,
      a.delivery_url, a.delivery_url_credentials, a.delivery_secret,
      a.project_delivery_url, a.project_delivery_url_credentials, a.project_delivery_secret,
      a.signing_secret_current, a.signing_secret_previous, a.provider_config`;

export interface CircumstanceRow {
  pause: Buffer | null;
  resumed: Buffer | null;
  read_at: Date;
  account_id: string;
  enabled: boolean;
  deleted: boolean;
  account_provider: string;
  delivery_url: string | null;
  delivery_url_credentials: Buffer | null;
  delivery_secret: Buffer | null;
  project_delivery_url: string | null;
  project_delivery_url_credentials: Buffer | null;
  project_delivery_secret: Buffer | null;
  signing_secret_current: Buffer | null;
  signing_secret_previous: Buffer | null;
  provider_config: Buffer | null;
}

/** Bodies up to this size come with their row: a second statement would cost more than they do. */
const inlineBytes = 64 * 1024;

const readAttempts = {
  name: 'read_attempts',
  text: `
    select i.place, e.id, e.generation, e.generation_at, e.status, e.delivery_status, e.next_attempt_at, e.held_since,
      d.outcome as recorded_outcome, coalesce(q.lane = ${lanes.firstAttempt} and q.claim_token is not null and q.generation = e.generation and q.claimed_until > now(), false) as relay_attempting,
      case when q.claimed_until > now() then q.claim_token end as claim_token,
      e.provider, e.account_slug, e.event_type, e.external_id, ${circumstanceColumns}, p.headers, p.content_type, p.traceparent,
      octet_length(p.body) as body_bytes, case when octet_length(p.body) <= ${inlineBytes} then p.body end as body
    from unnest($1::uuid[], $2::integer[], $3::text[], $4::integer[]) with ordinality as i (event_id, generation, trigger, number, place)
    join events e on e.id = i.event_id and e.id between $5 and $6
    join event_payloads p on p.event_id = i.event_id and p.event_id between $5 and $6
    join accounts a on a.id = e.account_id
    left join event_queue q on q.event_id = i.event_id
    left join delivery_attempts d on d.event_id = i.event_id and d.event_id between $5 and $6 and d.generation = i.generation and d.trigger = i.trigger and d.number = i.number`,
};

interface Row extends CircumstanceRow {
  place: string;
  id: string;
  generation: number;
  generation_at: Date;
  status: EventStatus;
  delivery_status: DeliveryStatus | null;
  next_attempt_at: Date | null;
  held_since: Date | null;
  recorded_outcome: string | null;
  relay_attempting: boolean;
  claim_token: string | null;
  provider: string;
  account_slug: string;
  event_type: string | null;
  external_id: string;
  headers: [string, string][];
  content_type: string | null;
  body: Buffer | null;
  body_bytes: number;
  traceparent: string | null;
}

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

/** Reads the rows of attempts; concurrent reads share one statement. */
export class AttemptReader {
  readonly #batcher: Batcher<AttemptName, { row: AttemptRow | null }>;
  readonly #bodies: Batcher<Pick<AttemptRow, 'eventId' | 'bodyBytes'>, { body: Uint8Array | null }>;

  constructor(sql: Sql) {
    this.#batcher = new Batcher(
      async (names) => {
        const rows = await sql.query<Row>(readAttempts, [
          names.map((n) => n.eventId),
          names.map((n) => n.generation),
          names.map((n) => n.trigger),
          names.map((n) => n.number),
          ...idRange(names.map((n) => n.eventId)),
        ]);
        const found = new Map(rows.map((row) => [Number(row.place), toAttemptRow(row)]));
        return names.map((_, index) => ({ row: found.get(index + 1) ?? null }));
      },
      { maxBatch, maxRunning: 2 },
    );
    this.#bodies = new Batcher(
      async (events) => {
        const ids = events.map(({ eventId }) => eventId);
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
  async read(name: AttemptName): Promise<AttemptRow | null> {
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
  return {
    eventId: row.id,
    generation: row.generation,
    generationAt: row.generation_at,
    status: row.status,
    deliveryStatus: row.delivery_status,
    nextAttemptAt: row.next_attempt_at,
    heldSince: row.held_since,
    recordedOutcome: row.recorded_outcome,
    relayAttempting: row.relay_attempting,
    claimToken: row.claim_token,
    provider: row.provider,
    accountSlug: row.account_slug,
    eventType: row.event_type,
    externalId: row.external_id,
    headers: row.headers,
    contentType: row.content_type,
    body: row.body,
    bodyBytes: row.body_bytes,
    traceparent: row.traceparent,
    ...toCircumstances(row),
  };
}

export function toCircumstances(row: CircumstanceRow): Circumstances {
  return {
    pause: toPause(row.pause),
    resumedAt: toResumedAt(row.resumed),
    account: {
      id: row.account_id,
      enabled: row.enabled,
      deleted: row.deleted,
      provider: row.account_provider,
      deliveryUrl: row.delivery_url,
      deliveryUrlCredentials: row.delivery_url_credentials,
      deliverySecret: row.delivery_secret,
      projectDeliveryUrl: row.project_delivery_url,
      projectDeliveryUrlCredentials: row.project_delivery_url_credentials,
      projectDeliverySecret: row.project_delivery_secret,
      signingSecretCurrent: row.signing_secret_current,
      signingSecretPrevious: row.signing_secret_previous,
      providerConfig: row.provider_config,
    },
    nowMs: databaseClock(row.read_at),
  };
}
