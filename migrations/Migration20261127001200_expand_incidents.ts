import { Migration } from '@mikro-orm/migrations';

const nil = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** Incidents, and the counts from which they are opened and resolved. */
export class Migration20261127001200_expand_incidents extends Migration {
  override up(): void {
    this.addSql(`
      create table incidents (
        id uuid primary key,
        kind text not null check (kind in ('delivery', 'rejections', 'gateway')),
        state text not null default 'open' check (state in ('open', 'acknowledged', 'resolved')),
        account_id uuid,
        consumer_id uuid,
        cause text not null,
        first_seen_at timestamptz not null,
        last_seen_at timestamptz not null,
        attempts bigint not null default 0,
        failing_at timestamptz not null default now(),
        succeeded integer not null default 0,
        example_event_id uuid,
        oldest_event_id uuid,
        acknowledged_by text,
        acknowledged_at timestamptz,
        resolved_by text,
        resolved_at timestamptz,
        reopened_at timestamptz,
        finished_at timestamptz,
        checked_at timestamptz,
        note text,
        changed_at timestamptz not null default now()
      );
      comment on table incidents is 'what fails, by account, consumer and cause (src/incidents/)';
      comment on column incidents.account_id is 'null: the gateway itself';
      comment on column incidents.consumer_id is 'for delivery; null: the consumer default';
      comment on column incidents.attempts is 'failed attempts, or rejected webhooks';
      comment on column incidents.failing_at is 'when an attempt of the consumer last failed, with any cause';
      comment on column incidents.succeeded is 'attempts of the consumer that succeeded since failing_at';
      comment on column incidents.oldest_event_id is 'the oldest event that failed with it: its events begin there';
      comment on column incidents.resolved_by is 'null with resolved_at: it has resolved by itself';
      comment on column incidents.finished_at is 'for one that has resolved by itself: since when none of its events waits or is exhausted';
      comment on column incidents.checked_at is 'for one that has resolved by itself: when its events were last looked for';
      create unique index incidents_current on incidents (kind, coalesce(account_id, ${nil}), coalesce(consumer_id, ${nil}), cause) where state <> 'resolved';
      comment on index incidents_current is 'one incident that is not resolved for each cause; those that are not resolved';
      create index incidents_resolved on incidents (resolved_at) where state = 'resolved';
      comment on index incidents_resolved is 'those that a failure reopens; deletion of those that are no longer kept';
      create index incidents_unfinished on incidents (id)
        where state = 'resolved' and kind = 'delivery' and resolved_by is null and finished_at is null;
      comment on index incidents_unfinished is 'list: resolved by themselves, with events that wait or are exhausted';
      create index incidents_account on incidents (account_id, id);
      comment on index incidents_account is 'list: by account';
      create index incidents_changed on incidents (changed_at);
      comment on index incidents_changed is 'stream: what has changed in the last seconds';

      create table incident_counts (
        id bigint generated always as identity primary key,
        at timestamptz not null default now(),
        kind text not null,
        account_id uuid,
        consumer_id uuid,
        cause text,
        opens boolean not null default false,
        failed integer not null default 0,
        succeeded integer not null default 0,
        first_at timestamptz not null,
        last_at timestamptz not null,
        example_event_id uuid,
        oldest_event_id uuid,
        added boolean not null default false
      );
      comment on table incident_counts is 'failures of the last minutes: each process adds what it has counted every few seconds';
      comment on column incident_counts.consumer_id is 'for delivery; for default, the id of the account';
      comment on column incident_counts.cause is 'null: attempts that succeeded';
      comment on column incident_counts.opens is 'whether these failures open an incident by themselves';
      comment on column incident_counts.first_at is 'of successes: the first one after the last failure that the process saw';
      comment on column incident_counts.added is 'whether incidents include it';`);
  }
}
