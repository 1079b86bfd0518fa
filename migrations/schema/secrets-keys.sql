-- The keys that were used as SECRETS_KEY: src/secrets/known-keys.ts and src/audit/retired-keys.ts. A key has a check
-- value until it is retired, and an audit key afterwards.
create table secrets_keys (
  id text primary key check (id ~ '^[0-9a-f]{8}$'),
  registered_at timestamptz not null default clock_timestamp(),
  check_value bytea,
  retired_at timestamptz,
  retired_audit bytea,
  check ((retired_at is null) = (check_value is not null)),
  check ((retired_at is null) = (retired_audit is null))
);
comment on column secrets_keys.check_value is 'a box that this key sealed: proves that a process has the same key';
comment on column secrets_keys.retired_at is 'when npm run reseal retired this key; nothing may be sealed with it afterwards';
comment on column secrets_keys.retired_audit is 'in a box: the audit key derived from this key, and where the chain of the audit log ended when it was retired';
