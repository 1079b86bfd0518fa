-- What the relay still has to do for an event: there is a row exactly while no workflow was started for the event's
-- generation. A table of its own and not partitioned, so that a claim costs the same however many days are kept.
-- The lanes have names in src/events/lanes.ts. Rows are inserted, claimed and deleted within seconds. With fillfactor 60, a claim's update stays in its page; with the low
-- thresholds, autovacuum removes dead rows before claims have to step over thousands of them.
create table event_queue (
  event_id uuid primary key,
  account_id uuid not null,
  generation integer not null,
  lane smallint not null check (lane between 0 and 2),
  direct boolean not null default false,
  claimed_until timestamptz,
  claim_token uuid
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
comment on column event_queue.lane is '0: needs its first attempt, 1: pending, needs its workflow, 2: settled, needs its workflow';
comment on column event_queue.direct is 'whoever holds the claim makes the first attempt itself';

-- A claim hops from account to account within a lane and takes the oldest events of each. The columns of the lease are not in
-- it, so that a claim updates no index.
create index event_queue_turns on event_queue (lane, account_id, event_id);
comment on index event_queue_turns is 'relay: claims of a lane, going round the accounts';

-- What running workflows must be told of changes that operators made, in the order of the ids.
create table event_commands (
  id bigint generated always as identity primary key,
  event_id uuid not null,
  kind text not null check (kind in ('ack', 'fail', 'retry', 'account_deleted')),
  generation integer not null,
  number integer,
  dead boolean,
  created_at timestamptz not null default now(),
  claimed_until timestamptz,
  claim_token uuid
);

-- To reset an event costs an entry in each of its indexes, so a hundred thousand of them take seconds; to note their ids takes
-- a fraction of a second. The call notes them here, and a worker resets them, a batch in each transaction. A statement that
-- changes a noted event resets it first, so that everything happens in the order in which it was requested.
create table event_replays (event_id uuid primary key);
comment on table event_replays is 'failed events that are to be replayed: taken by an operator, not reset yet';

-- One transaction stops a bounded number of events, since the recording of an attempt waits for it. Accounts with more events
-- are noted here, and a worker goes on.
create table stopped_accounts (account_id uuid primary key);
comment on table stopped_accounts is 'deleted accounts with events whose delivery is still to be ended';
