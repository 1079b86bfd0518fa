-- Where operators are notified of exhausted events. The config is sealed, because chat URLs and webhook secrets are
-- credentials.
create table destinations (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  destination_type text not null check (destination_type in ('webhook', 'email', 'chat_one', 'chat_two')),
  name varchar(200) not null,
  config bytea not null,
  condition varchar(1000),
  enabled boolean not null,
  position integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
comment on column destinations.config is 'JSON, by type, in an AES-256-GCM box: src/secrets/secret-box.ts';

-- The columns are in the order of the list, so that reading an account's destinations needs no sort.
create index destinations_of_account on destinations (account_id, position, created_at, id);
comment on index destinations_of_account is 'operators: the destinations of an account in their order; exhausted events: the destinations to notify';

create trigger refuse_retired_key before insert or update of config on destinations
for each row execute function refuse_retired_key('config');
