-- The audit log and its chain of seals: src/audit/.
-- `json`, not `jsonb`, because it keeps the text byte for byte, and the entry's MAC is computed from that text.
create table audit_logs (
  id uuid primary key,
  actor text not null,
  action text not null,
  ip_address text not null,
  created_at timestamptz not null,
  details json not null,
  noted_seq bigint,
  noted_seal bytea,
  mac bytea not null,
  seq bigint,
  seal bytea,
  foreign_at timestamptz
);
comment on column audit_logs.mac is 'HMAC over the content, written together with it';
comment on column audit_logs.noted_seq is 'the head of the chain that the writer knew, with noted_seal: a forged chain does not contain it';
comment on column audit_logs.seq is 'position in the chain, from 1 without gaps; null: not sealed yet';
comment on column audit_logs.seal is 'HMAC over the previous seal, the position, the id and the MAC';
comment on column audit_logs.foreign_at is 'when the sealer found that the gateway did not write this row';

-- Unique, so that no two entries can have the same position in the chain.
create unique index audit_logs_chain on audit_logs (seq) where seq is not null;
comment on index audit_logs_chain is 'verification and purge: the chain in order';

-- Always small, so that polling by an idle sealer is cheap.
create index audit_logs_unsealed on audit_logs (id) where seq is null and foreign_at is null;
comment on index audit_logs_unsealed is 'sealer: entries to seal';

-- Empty unless another program wrote to the table.
create index audit_logs_foreign on audit_logs (foreign_at) where foreign_at is not null;
comment on index audit_logs_foreign is 'verification and purge: rows that the gateway did not write';

-- One index for each filter of the list. Ids are UUIDv7, so the id as second column gives the order of the list.
create index audit_logs_actor on audit_logs (actor, id);
comment on index audit_logs_actor is 'list of entries by actor, newest first';
create index audit_logs_action on audit_logs (action, id);
comment on index audit_logs_action is 'list of entries by action, newest first';
create index audit_logs_ip_address on audit_logs (ip_address, id);
comment on index audit_logs_ip_address is 'list of entries by ip_address, newest first';
-- Entries without an event, such as those of lists, are not in it.
create index audit_logs_event on audit_logs ((details ->> 'event_id'), id) where details ->> 'event_id' is not null;
comment on index audit_logs_event is 'list of entries about an event, newest first';

create table audit_chain (
  part text primary key check (part in ('head', 'anchor')),
  seq bigint not null,
  seal bytea not null,
  purged_before timestamptz,
  mac bytea not null
);
comment on table audit_chain is 'where the chain of audit_logs ends (head), and where it begins after a purge (anchor)';

create trigger refuse_retired_mac before insert or update of mac on audit_logs
for each row execute function refuse_retired_mac();
create trigger refuse_retired_mac before insert or update of mac on audit_chain
for each row execute function refuse_retired_mac();
