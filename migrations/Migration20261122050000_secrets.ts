import { Migration } from '@mikro-orm/migrations';

/** The columns that hold boxes (src/secrets/secret-box.ts), which name their key in their bytes 2 to 5. */
const boxes = {
  accounts: [
    'signing_secret_current',
    'signing_secret_previous',
    'provider_config',
    'delivery_secret',
    'project_delivery_secret',
    'delivery_url_credentials',
    'project_delivery_url_credentials',
  ],
  destinations: ['config'],
  notifications: ['config'],
  notification_summaries: ['config'],
};
/** The tables with MACs of the audit log (src/audit/seals.ts), which name their key in their bytes 1 to 4. */
const logTables = ['audit_logs', 'audit_chain'];

const refuse = (what: string) => `
  raise exception 'the SECRETS_KEY of this process was replaced: % was sealed with a retired key', ${what}
    using errcode = 'object_not_in_prerequisite_state', hint = 'Restart the process with the new SECRETS_KEY.';`;

/** The keys that SECRETS_KEY has named: src/secrets/known-keys.ts and src/audit/retired-keys.ts. */
export class Migration20261122050000_secrets extends Migration {
  override up(): void {
    this.addSql(`
      create table secrets_keys (
        id text primary key check (id ~ '^[0-9a-f]{8}$'),
        registered_at timestamptz not null default clock_timestamp(),
        check_value bytea,
        retired_at timestamptz,
        retired_audit bytea,
        check ((retired_at is null) = (check_value is not null)),
        check ((retired_at is null) = (retired_audit is null))
      )`);
    const comments = {
      check_value: 'a box that this key sealed: proves that a process has the same key',
      retired_at: 'when npm run reseal ended the use of this key; nothing may be sealed with it afterwards',
      retired_audit: 'in a box: the audit key derived from it, and where the chain of the audit log ended then',
    };
    for (const [column, comment] of Object.entries(comments))
      this.addSql(`comment on column secrets_keys.${column} is '${comment}'`);
    // Its successor is secrets_keys.check_value.
    this.addSql(`delete from gateway_settings where key = 'secrets_key_check'`);

    this.addSql(`
      create function is_retired_key(key_id bytea) returns boolean language sql as $$
        select exists (select from secrets_keys where retired_at is not null and id = encode(key_id, 'hex'))
      $$`);
    // A process that was not restarted would go on to seal with the old key, and what it sealed would be lost with that key.
    // The lock is held until the transaction ends, so that a key retires only when no transaction is open that passed the
    // check (lockKeys.retiredKeys).
    this.addSql(`
      create function refuse_retired_key() returns trigger language plpgsql as $$
      declare
        field text;
        stored bytea;
        given bytea;
      begin
        perform pg_advisory_xact_lock_shared(7233808006);
        foreach field in array tg_argv loop
          execute format('select ($1).%I', field) using new into given;
          stored := null;
          if tg_op = 'UPDATE' then execute format('select ($1).%I', field) using old into stored; end if;
          if given is distinct from stored and is_retired_key(substring(given from 2 for 4)) then ${refuse('field')} end if;
        end loop;
        return new;
      end $$`);
    // A function of its own: each call of the admin API writes an entry.
    this.addSql(`
      create function refuse_retired_mac() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(7233808006);
        if is_retired_key(substring(new.mac from 1 for 4)) then ${refuse("'mac'")} end if;
        return new;
      end $$`);
    for (const [table, columns] of Object.entries(boxes))
      this.addSql(`
        create trigger refuse_retired_key before insert or update of ${columns.join(', ')} on ${table}
        for each row execute function refuse_retired_key(${columns.map((name) => `'${name}'`).join(', ')})`);
    for (const table of logTables)
      this.addSql(`
        create trigger refuse_retired_mac before insert or update of mac on ${table}
        for each row execute function refuse_retired_mac()`);
  }

  override down(): void {
    for (const table of Object.keys(boxes)) this.addSql(`drop trigger refuse_retired_key on ${table}`);
    for (const table of logTables) this.addSql(`drop trigger refuse_retired_mac on ${table}`);
    this.addSql('drop function refuse_retired_key; drop function refuse_retired_mac; drop function is_retired_key');
    this.addSql('drop table secrets_keys');
  }
}
