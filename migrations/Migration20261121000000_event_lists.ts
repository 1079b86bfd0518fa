import { Migration } from '@mikro-orm/migrations';

/**
 * What makes operators' lists quick at any size: an index for each filter, made so that the way of a healthy event
 * touches none of them after its insert.
 *
 * PostgreSQL leaves the indexes alone (HOT) when an update changes no column that an index names. So none names `status` or
 * `delivery_status`; they name columns derived from them, which stay as they are while an event is received, delivered at
 * its first attempt and handed to its workflow.
 */
export class Migration20261121000000_event_lists extends Migration {
  override up(): void {
    this.addSql(`
      alter table events
        add column state text generated always as (case when status in ('received', 'enqueued') then 'open' else status end) stored,
        add column due_at timestamptz generated always as (case when delivery_status = 'pending' then next_attempt_at end) stored,
        add column retries integer generated always as (case when delivery_status = 'pending' and attempts > 0 then attempts end) stored,
        add column undelivered boolean generated always as (case when delivery_status = 'failed' then true end) stored`);
    const comments = {
      state: 'the status for its index: open while received or enqueued, so that the step between them is none here',
      due_at: 'next_attempt_at of what is pending',
      retries: 'attempts of what is pending and has failed at least once',
      undelivered: 'true when delivery_status is failed, else null',
    };
    for (const [column, comment] of Object.entries(comments)) {
      this.addSql(`comment on column events.${column} is '${comment}'`);
    }

    this.addSql('drop index events_due');
    const indexes = [
      ['due', '(due_at) where due_at is not null', 'sweep: what is overdue; account deletion: its waiting events'],
      ['waiting', '(id) where due_at is not null', 'list: pending, together with event_queue'],
      ['retrying', '(retries, id) where retries is not null', 'list of what is being retried'],
      // With what the replay of all of them needs to know, so that it reads no row.
      [
        'undelivered',
        '(id) include (account_id, app_key, provider, state) where undelivered',
        'lists: failed deliveries; replay of all that failed',
      ],
      [
        'failed_otherwise',
        `(id) include (account_id, app_key, provider) where state = 'failed' and undelivered is null and rejection_reason is null`,
        'replay of all that failed: what people marked as failed',
      ],
      ['state', '(state, id)', 'list: by status'],
      ['provider', '(provider, id)', 'list: by provider'],
      ['app_key', '(app_key, id)', 'list: by app_key'],
      ['account_slug', '(account_slug, id)', 'list: by account_slug'],
      ['event_type', '(event_type, id) where event_type is not null', 'list: by event_type'],
      ['external_id', '(external_id, id)', 'list: by external_id'],
    ];
    for (const [name, definition, comment] of indexes) {
      this.addSql(`create index events_${name} on events ${definition}`);
      this.addSql(`comment on index events_${name} is '${comment}'`);
    }
  }

  override down(): void {
    this.addSql('drop index events_due');
    // Their indexes go with them.
    this.addSql(
      'alter table events drop column state, drop column due_at, drop column retries, drop column undelivered',
    );
    for (const name of ['provider', 'app_key', 'account_slug', 'event_type', 'external_id']) {
      this.addSql(`drop index events_${name}`);
    }
    this.addSql(
      `create index events_due on events (next_attempt_at) where delivery_status = 'pending' and next_attempt_at is not null`,
    );
  }
}
