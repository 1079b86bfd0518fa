import { Migration } from '@mikro-orm/migrations';

/**
 * The first schema. Partitions of the three event tables are made by src/database/partitions.ts, a day each.
 *
 * Indexes are few and partial; each one's comment names the query that needs it.
 */
export class Migration20261120000000_initial extends Migration {
  override up(): void {
    this.addSql(`
      create table accounts (
        id uuid primary key,
        provider text not null,
        account_slug varchar(100) not null,
        app_key varchar(50) not null,
        org_id varchar(100),
        signing_secret_current bytea,
        signing_secret_previous bytea,
        skip_signature_verification boolean not null default false,
        delivery_url varchar(500),
        delivery_secret bytea,
        project_id varchar(100),
        project_delivery_url varchar(500),
        project_delivery_secret bytea,
        enabled boolean not null default true,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        deleted_at timestamptz
      )`);
    this.addSql('create unique index accounts_address on accounts (provider, account_slug) where deleted_at is null');
    this.addSql(
      `comment on index accounts_address is 'ingestion: the account of an address; a deleted one frees its slug'`,
    );

    this.addSql(`
      create table events (
        id uuid primary key,
        account_id uuid not null,
        provider text not null,
        account_slug text not null,
        app_key text not null,
        event_type text,
        external_id text not null,
        status text not null check (status in ('received', 'enqueued', 'processed', 'failed', 'dead', 'rejected')),
        delivery_status text check (delivery_status in ('pending', 'delivered', 'failed')),
        rejection_reason text,
        generation integer not null default 0,
        generation_at timestamptz not null,
        started_generation integer not null default -1,
        run_id text,
        attempts integer not null default 0,
        scheduled_attempts integer not null default 0,
        manual_attempts integer not null default 0,
        last_error text,
        response_code integer,
        received_at timestamptz not null,
        delivered_at timestamptz,
        next_attempt_at timestamptz,
        held_since timestamptz,
        swept_at timestamptz
      ) partition by range (id)`);
    this.addSql(
      `comment on column events.generation_at is 'when this generation began: the 4 h limit of Retry-After counts from here'`,
    );
    this.addSql(
      `comment on column events.manual_attempts is 'numbers handed out to manual attempts of this generation, made or not'`,
    );
    this.addSql(`comment on column events.held_since is 'since when the account is disabled while this event waits'`);
    this.addSql(`comment on column events.swept_at is 'when the sweep last asked whether the workflow still runs'`);
    // A fresh event has no next attempt yet, so ingestion does not touch this index.
    this.addSql(
      `create index events_due on events (next_attempt_at) where delivery_status = 'pending' and next_attempt_at is not null`,
    );
    this.addSql(
      `comment on index events_due is 'sweep: pending events that are overdue; account deletion: its waiting events'`,
    );

    this.addSql(`
      create table event_payloads (
        event_id uuid primary key,
        headers json not null,
        content_type text,
        body bytea not null
      ) partition by range (event_id)`);

    this.addSql(`
      create table delivery_attempts (
        event_id uuid not null,
        generation integer not null,
        trigger text not null check (trigger in ('schedule', 'manual')),
        number integer not null,
        started_at timestamptz not null,
        duration_ms double precision not null,
        outcome text not null,
        response_code integer,
        response_body text,
        error text,
        url text,
        primary key (event_id, generation, trigger, number)
      ) partition by range (event_id)`);

    this.addSql(
      'create table event_dedup (key uuid primary key, event_id uuid not null, expires_at timestamptz not null)',
    );

    // What the relay still has to do for an event: there is a row exactly while no workflow was started for the event's
    // generation. A table of its own and not partitioned, so that a claim costs the same however many days are kept.
    this.addSql(`
      create table event_queue (
        event_id uuid primary key,
        account_id uuid not null,
        generation integer not null,
        lane smallint not null check (lane between 0 and 2),
        direct boolean not null default false,
        claimed_until timestamptz,
        claim_token uuid
      ) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000)`);
    this.addSql(
      `comment on column event_queue.lane is '0: needs its first attempt, 1: pending, needs its workflow, 2: settled, needs its workflow'`,
    );
    this.addSql(`comment on column event_queue.direct is 'whoever holds the claim makes the first attempt itself'`);
    this.addSql('create index event_queue_turns on event_queue (lane, account_id, event_id)');
    this.addSql(`comment on index event_queue_turns is 'relay: claims of a lane, going round the accounts'`);

    this.addSql(`
      create table event_commands (
        id bigint generated always as identity primary key,
        event_id uuid not null,
        kind text not null check (kind in ('ack', 'fail', 'retry', 'account_deleted')),
        generation integer not null,
        number integer,
        dead boolean,
        created_at timestamptz not null default now(),
        claimed_until timestamptz,
        claim_token uuid
      )`);

    this.addSql(`
      create table rejection_counts (
        account_id uuid not null,
        minute timestamptz not null,
        seen integer not null,
        primary key (account_id, minute)
      )`);
    this.addSql(
      `comment on table rejection_counts is 'rejected webhooks an account and minute; only the first 60 of them have rows in events'`,
    );

    this.addSql('create table gateway_settings (key text primary key, value bytea not null)');
  }

  override down(): void {
    for (const table of [
      'gateway_settings',
      'rejection_counts',
      'event_commands',
      'event_queue',
      'event_dedup',
      'delivery_attempts',
      'event_payloads',
      'events',
      'accounts',
    ]) {
      this.addSql(`drop table ${table} cascade`);
    }
  }
}
