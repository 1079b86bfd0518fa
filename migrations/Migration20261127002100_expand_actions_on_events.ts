import { Migration } from '@mikro-orm/migrations';

/** What operators did with events and why, and all pauses: what the timeline of an event shows. */
export class Migration20261127002100_expand_actions_on_events extends Migration {
  override up(): void {
    this.addSql(`
      create table event_actions (
        id uuid primary key default gen_random_uuid(),
        event_id uuid not null,
        generation integer not null,
        at timestamptz not null,
        actor text not null,
        action text not null check (action in ('replay', 'retry', 'ack', 'fail', 'dead')),
        reason text,
        job_id uuid
      );
      comment on table event_actions is 'what operators did with events, and why; kept as long as the event, and longer than entries of the audit log, which have no texts of operators';
      comment on column event_actions.generation is 'the generation after the action';
      comment on column event_actions.actor is 'the name of the token; temporal: a person has cancelled the workflow';
      comment on column event_actions.job_id is 'the bulk job that did it; null: an order for this event';
      create index event_actions_event on event_actions (event_id);
      comment on index event_actions_event is 'the timeline of an event';
      create table pauses (
        id uuid primary key default gen_random_uuid(),
        account_id uuid,
        consumer_id uuid,
        since timestamptz not null,
        reason text,
        paused_by text,
        ended_at timestamptz,
        ended_by text
      );
      comment on table pauses is 'pauses of deliveries, with those that have ended; what is paused at this moment stands in gateway_settings, accounts and consumers';
      comment on column pauses.account_id is 'null: a pause of all deliveries';
      comment on column pauses.consumer_id is 'for default: the id of the account; null: all consumers of the account';
      comment on column pauses.paused_by is 'the name of the token; null: not known, because a restore or the release before has paused';
      create unique index pauses_in_force on pauses (account_id, consumer_id) nulls not distinct where ended_at is null;
      comment on index pauses_in_force is 'one pause in force of each consumer, account, and of all deliveries';
      create index pauses_account on pauses (account_id, since);
      comment on index pauses_account is 'the timeline of an event';
      alter table bulk_jobs add column order_reason text;
      comment on column bulk_jobs.order_reason is 'why the operator has ordered it; for dead: as error; null: not given';`);
  }
}
