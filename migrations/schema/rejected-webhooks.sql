create table rejection_counts (
  account_id uuid not null,
  minute timestamptz not null,
  seen integer not null,
  primary key (account_id, minute)
);
comment on table rejection_counts is 'rejected webhooks an account and minute; at most the first 60 of them have rows in events';

-- The day comes first in the key: retention deletes by day.
create table rejection_days (
  day date not null,
  account_id uuid not null, -- the nil UUID: all accounts (allAccounts in src/events/transitions/rejected.ts)
  seen bigint not null,
  bytes bigint not null,
  primary key (day, account_id)
);
comment on table rejection_days is 'rejected webhooks an account and day (UTC); with the nil UUID, of all accounts';
comment on column rejection_days.bytes is 'of those that the limits before this one let pass: beyond the daily limit nothing is kept';
