import { Migration } from '@mikro-orm/migrations';

/** Messages to destinations about incidents. */
export class Migration20261127003600_expand_incident_messages extends Migration {
  override up(): void {
    this.addSql(`
      create table incident_messages (
        id uuid primary key,
        incident_id uuid not null,
        incident_kind text not null check (incident_kind in ('delivery', 'rejections')),
        kind text not null check (kind in ('incident.opened', 'incident.resolved')),
        reminder boolean not null,
        destination_id uuid not null,
        account_id uuid not null,
        destination_type text not null,
        name varchar(200) not null,
        config bytea not null,
        place text not null,
        provider text not null,
        account_slug text not null,
        app_key text not null,
        consumer text,
        cause text not null,
        first_seen_at timestamptz not null,
        last_seen_at timestamptz not null,
        failures bigint not null,
        example_event_id uuid,
        happened_at timestamptz not null,
        status text not null check (status in ('pending', 'sent', 'failed', 'obsolete')),
        batch_id uuid,
        attempts integer not null default 0,
        due_at timestamptz,
        error text,
        sent_at timestamptz
      );
      comment on table incident_messages is 'one change of an incident for one destination, with copies of the incident and the destination of that time';
      comment on column incident_messages.place is 'a keyed hash of where the message goes, the same for destinations with the same address';
      comment on column incident_messages.failures is 'attempts of the incident at that time';
      comment on column incident_messages.happened_at is 'when the incident changed, or when the reminder was due';
      comment on column incident_messages.status is 'obsolete: a later change came before it was sent';
      comment on column incident_messages.batch_id is 'rows that are sent as one message have the same; null before the first try';
      comment on column incident_messages.attempts is 'tries that were begun; also identifies the claim on the present try';
      comment on column incident_messages.due_at is 'pending: when the next try may begin; during a try, when its claim expires';
      -- Partial, because workers poll for due messages, and sent ones remain in the table.
      create index incident_messages_due on incident_messages (due_at) where status = 'pending';
      comment on index incident_messages_due is 'worker: due messages';
      create index incident_messages_of_incident on incident_messages (incident_id, destination_id, happened_at, id);
      comment on index incident_messages_of_incident is 'the messages about an incident; the last one to a destination';
      create index incident_messages_of_place on incident_messages (place, sent_at);
      comment on index incident_messages_of_place is 'worker: what was sent to a place recently, and what is under way';
      create index incident_messages_of_batch on incident_messages (batch_id) where status in ('pending', 'failed');
      comment on index incident_messages_of_batch is 'worker: records the outcome of a message';
      create trigger refuse_retired_key before insert or update of config on incident_messages
      for each row execute function refuse_retired_key('config');`);
  }
}
