-- The events for which the relay still has work: an event has a row until a workflow was started for its generation, or
-- until it needs none (EVENT_WORKFLOWS=on_retry). A separate table without partitions, so that the cost of a claim does not depend on the days of
-- retention. The lanes are named in src/events/lanes.ts.
--
-- Rows are inserted, claimed and deleted within seconds. With fillfactor 60, a claim's update stays in its page. With
-- the low thresholds, autovacuum removes dead rows before claims have to skip thousands of them.
create table event_queue (
  event_id uuid primary key,
  account_id uuid not null,
  generation integer not null,
  lane smallint not null check (lane between 0 and 2),
  lane_since timestamptz not null default now(),
  direct boolean not null default false,
  claimed_until timestamptz,
  claim_token uuid
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
comment on column event_queue.lane is '0: needs its first attempt, 1: pending, needs its workflow, 2: settled, needs its workflow';
comment on column event_queue.lane_since is 'since when the event waits in its lane; kept up to date in the lanes 1 and 2';
comment on column event_queue.direct is 'the relay that holds the claim makes the first attempt itself';

-- A claim visits the accounts of a lane one after another and takes the oldest events of each. The index does not
-- contain the columns of the lease, so that a claim updates no index.
create index event_queue_turns on event_queue (lane, account_id, event_id) where lane < 2;
comment on index event_queue_turns is 'relay: claims of the lanes 0 and 1, round-robin over the accounts';

-- The starts of settled events are only for the eyes of operators, so they are in the order of receipt.
create index event_queue_settled on event_queue (event_id) where lane = 2;
comment on index event_queue_settled is 'relay: claims of lane 2, oldest first';

-- Operators' commands that the relay has to signal to running workflows, in the order of the ids.
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

-- Replaying an event writes an entry to each of its indexes, so a hundred thousand events take seconds. Noting their
-- ids takes a fraction of a second. So the call notes them here, and a worker replays them, one batch per transaction.
-- An operator's command on a noted event replays the event first, so that all commands apply in the order in which they
-- were requested.
create table event_replays (event_id uuid primary key);
comment on table event_replays is 'failed events whose replay an operator has requested and that are not replayed yet';

-- One transaction stops a limited number of events, because recording an attempt waits for it. Accounts with more
-- events are noted here, and a worker stops the remaining ones.
create table stopped_accounts (account_id uuid primary key);
comment on table stopped_accounts is 'deleted accounts with events whose delivery was not ended yet';
