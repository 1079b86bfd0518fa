import { Migration } from '@mikro-orm/migrations';

/**
 * What destinations are told of exhausted events. A notification holds the destination as it was at that moment, so that
 * what people change afterwards changes nothing about it. The config stays in its box, which names account and destination.
 */
export class Migration20261121000004_notifications extends Migration {
  override up(): void {
    this.addSql(`
      create table notifications (
        event_id uuid not null,
        generation integer not null,
        destination_id uuid not null,
        account_id uuid not null,
        destination_type text not null,
        name varchar(200) not null,
        config bytea not null,
        ordinal integer not null,
        failed_at timestamptz not null,
        event_error text,
        event_attempts integer not null,
        event_response_code integer,
        status text not null check (status in ('pending', 'sent', 'failed', 'suppressed')),
        attempts integer not null default 0,
        due_at timestamptz,
        error text,
        sent_at timestamptz,
        summary_id uuid,
        primary key (event_id, generation, destination_id)
      ) partition by range (event_id)`);
    const comments = {
      ordinal: 'the order of the destinations at that moment',
      event_error: 'why the last attempt of the generation failed',
      event_attempts: 'how many attempts the generation had had',
      attempts: 'tries that were begun; also names who holds the claim',
      due_at: 'pending: when the next try may begin, which is also when the claim on this one ends',
      summary_id: 'suppressed: the message that it was folded into',
    };
    for (const [column, comment] of Object.entries(comments)) {
      this.addSql(`comment on column notifications.${column} is '${comment}'`);
    }
    this.addSql(`create index notifications_due on notifications (destination_id, due_at) where status = 'pending'`);
    this.addSql(
      `comment on index notifications_due is 'sweep: what nobody has sent although it is due; bursts: what a destination is yet to get'`,
    );
    // The days that have partitions already: their events can be exhausted, too.
    this.addSql(`
      do $$
      declare
        day record;
      begin
        for day in
          select replace(c.relname, 'events_', 'notifications_') as name, pg_get_expr(c.relpartbound, c.oid) as bounds
          from pg_class c join pg_inherits i on i.inhrelid = c.oid where i.inhparent = 'events'::regclass
        loop
          execute format('create table %I partition of notifications %s', day.name, day.bounds);
        end loop;
      end $$`);

    this.addSql(`
      create table notification_summaries (
        id uuid primary key,
        destination_id uuid not null,
        account_id uuid not null,
        destination_type text not null,
        config bytea not null,
        provider text not null,
        account_slug text not null,
        app_key text not null,
        events integer not null,
        first_event_ids uuid[] not null,
        first_received_at timestamptz not null,
        last_received_at timestamptz not null,
        first_failed_at timestamptz not null,
        last_failed_at timestamptz not null,
        status text not null check (status in ('pending', 'sent', 'failed')),
        attempts integer not null default 0,
        due_at timestamptz,
        error text,
        sent_at timestamptz
      )`);
    this.addSql(
      `comment on table notification_summaries is 'one message about events that came too thick to be told of one by one; grows until due_at'`,
    );
    this.addSql(`create index notification_summaries_due on notification_summaries (due_at) where status = 'pending'`);
    this.addSql(`comment on index notification_summaries_due is 'worker: summaries whose time has come'`);

    this.addSql(
      'create table notification_bursts (destination_id uuid primary key, told_at timestamptz[] not null, summary_id uuid)',
    );
    this.addSql(
      `comment on table notification_bursts is 'when a destination was told of late, and the summary that takes what comes now'`,
    );
  }

  override down(): void {
    this.addSql('drop table notifications, notification_summaries, notification_bursts');
  }
}
