create table rejection_counts (
  account_id uuid not null,
  minute timestamptz not null,
  seen integer not null,
  primary key (account_id, minute)
);
comment on table rejection_counts is 'number of rejected webhooks per account and minute; at most the first 60 of them have rows in events';

-- The day is first in the key, because retention deletes by day.
create table rejection_days (
  day date not null,
  account_id uuid not null, -- nil UUID: all accounts (allAccounts in src/events/transitions/rejected.ts)
  seen bigint not null,
  bytes bigint not null,
  primary key (day, account_id)
);
comment on table rejection_days is 'rejected webhooks per account and day (UTC); the nil UUID stands for all accounts';
comment on column rejection_days.bytes is 'size of the webhooks that have passed the limits before this one, including those beyond this limit';
