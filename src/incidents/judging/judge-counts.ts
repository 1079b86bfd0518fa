import type { Sql } from '../../database/sql.ts';
import { mostCauses, otherCause, provingSuccesses } from '../counting/consumer-failures.ts';
import type { IncidentChange } from '../incident.ts';
import { lowestId, newId, ownerOf } from './owner.ts';
import { type IncidentTimes, mostOpen } from './times.ts';

/** Attempts, or webhooks, from which a share is computed. */
const fewest = 10;
/** Failures of a cause that make it one of its own beside the commonest. */
const several = 5;

// $1 windowS, $2 rejectedWindowS, $3 acceptedBeforeS, $4 quietS, $5 quietAgainS, $6 reopensS, $7 mayEndGateway.
const seconds = (parameter: string) => `make_interval(secs => ${parameter}::double precision)`;
const windowStart = `now() - case kind when 'rejections' then ${seconds('$2')} else ${seconds('$1')} end`;

/** Accepted webhooks of an account in a span of time, by the index of its slug, counted up to a number. */
const accepted = (account: string, from: string, to: string, most: string) => `(
  select count(*) from (
    select 1 from accounts a join events e on e.account_slug = a.account_slug and e.account_id = a.id
    where a.id = ${account} and e.rejection_reason is null and e.request_id is null
      and e.id >= ${lowestId(from)} and e.id < ${lowestId(to)} limit ${most}
  ) good)`;

// A process writes every few seconds. What begins much earlier are failures in a row, of which some may have other causes: then
// only the time of the last one is known.
const sums = `sum(failed) as failed,
    min(case when kind = 'delivery' and first_at < last_at - ${seconds('$1')} then last_at else first_at end) as first_at, max(last_at) as last_at,
    (array_agg(example_event_id order by last_at desc) filter (where example_event_id is not null))[1] as example,
    min(oldest_event_id::text)::uuid as oldest`;

const sameOwner = (a: string, b: string) => `${a}.kind = ${b}.kind and ${a}.owner = ${b}.owner`;
const sameCause = (a: string, b: string) => `${sameOwner(a, b)} and ${a}.cause = ${b}.cause`;

/** Successes after a time. Of those that began before it, the last one is known to be after it. */
const after = (successes: string, time: string) =>
  `coalesce(sum(case when ${successes}.first_at > ${time} then ${successes}.succeeded else 1 end), 0)`;

/** Whether the account or the consumer of an incident is deleted: nothing of it can be repaired. */
const isDeleted = `exists (select from accounts a where a.id = c.account_id and a.deleted_at is not null)
  or exists (select from consumers k where k.id = c.consumer_id and k.deleted_at is not null)`;

/** Whether an incident has the cause of some failures, and is over. */
const ended = (incident: string, failures: string, owner: string) => `${incident}.kind = ${failures}.kind
  and ${ownerOf(incident)} = ${owner} and ${incident}.cause = ${failures}.cause and ${incident}.state = 'resolved'`;

/** Whether it ended a short time ago: then they open it again. */
const endedLately = (incident: string, failures: string) =>
  `${ended(incident, failures, `${failures}.owner`)} and ${incident}.resolved_at > now() - ${seconds('$6')}`;

/** Whether deliveries fail again after an incident that has resolved by itself: then a single failure is enough. */
const fellBack = `r.kind = 'delivery' and exists (
  select from incidents e where ${endedLately('e', 'r')} and e.resolved_by is null and r.last_at > e.resolved_at)`;

/** Whether a person has closed the incident of a cause since its failures: then they say nothing about what comes after. */
const isClosed = `exists (
  select from incidents e where ${ended('e', 'n', ownerOf('n'))} and e.resolved_by is not null and e.resolved_at >= n.last_at)`;

/**
 * Whether failures open an incident by themselves. Failures in a row that began before the incident of their cause has ended
 * do not: a person has closed it since, or another process has seen the successes that ended it.
 */
const opens = `opens and not exists (
  select from incidents e where ${ended('e', 'fresh', ownerOf('fresh'))} and e.account_id = fresh.account_id and e.resolved_at >= fresh.first_at)`;

/**
 * Failures that open an incident: by themselves, because of their share, or soon after its end. What was not added yet
 * counts at any age, because a judgement may be late.
 */
const judged = `
  fresh as (
    update incident_counts set added = true where not added returning *
  ), failing as (
    select kind, account_id, ${ownerOf('fresh')} as owner, cause, bool_or(${opens}) as opens, ${sums}
    from fresh where cause is not null group by 1, 2, 3, 4
  ), owners as (
    select kind, owner, max(last_at) as failed_at from failing group by 1, 2
  ), current as (
    select i.*, ${ownerOf('i')} as owner from incidents i where state <> 'resolved'
  ), recent as (
    select kind, account_id, ${ownerOf('n')} as owner, cause, sum(succeeded) as succeeded, ${sums}
    from incident_counts n where (not added or at > ${windowStart}) and not ${isClosed} group by 1, 2, 3, 4
  ), totals as (
    select kind, owner, coalesce(sum(failed), 0) as failed, coalesce(sum(succeeded), 0) as succeeded from recent group by 1, 2
  ), wanted as (
    -- What a process has counted as other causes takes the place of none.
    select r.*, row_number() over (partition by r.kind, r.owner order by r.cause = '${otherCause}', r.failed desc, r.last_at desc) as place,
      (select count(*) from current c where ${sameOwner('c', 'r')} and c.cause <> '${otherCause}') as existing
    from (
      select r.*, f.opens, row_number() over (partition by r.kind, r.owner order by r.failed desc, r.last_at desc) as rank
      from recent r join failing f on ${sameCause('f', 'r')}
    ) r join totals t on ${sameOwner('t', 'r')}
    where not exists (select from current c where ${sameCause('c', 'r')}) and (r.opens or (${fellBack}) or case
      when r.failed < ${several} and (r.rank > 1 or exists (select from current c where ${sameOwner('c', 'r')})) then false
      when r.kind = 'delivery' then t.failed * 2 >= t.failed + t.succeeded and t.failed + t.succeeded >= ${fewest}
      when r.kind = 'rejections' and t.failed >= ${fewest} then
        ${accepted('r.account_id', `now() - ${seconds('$2')}`, `now() + interval '1 minute'`, 't.failed::bigint')} < t.failed
        and ${accepted('r.account_id', `r.first_at - ${seconds('$3')}`, 'r.first_at', '1')} > 0
      else false end)
      and not exists (select from accounts a where a.id = r.account_id and a.deleted_at is not null)
      and not exists (select from consumers k where k.id = r.owner and k.id <> r.account_id and k.deleted_at is not null)
  ), named as (
    select w.*, case when kind = 'delivery' and existing + place > ${mostCauses} then '${otherCause}' else cause end as name from wanted w
  ), opening as (
    select n.kind, n.account_id, n.owner, n.name as cause, sum(n.failed) as failed, min(n.first_at) as first_at, max(n.last_at) as last_at,
      greatest(max(n.last_at), case when n.kind <> 'gateway' then max(o.failed_at) end) as failing_at,
      (array_agg(n.example order by n.last_at desc))[1] as example, min(n.oldest::text)::uuid as oldest
    from named n join owners o on ${sameOwner('o', 'n')}
    where not exists (select from current c where ${sameOwner('c', 'n')} and c.cause = n.name) group by 1, 2, 3, 4
  )`;

/** When the consumer or account of an incident has failed again. Conditions of the gateway are independent of each other. */
const failedAt = `case c.kind when 'gateway' then a.last_at else o.failed_at end`;
const failingAt = `greatest(c.failing_at, ${failedAt})`;

/** Adds failures to the incidents of their cause, or to that of other causes, and ends those that are over. */
const updated = `
  adding as (
    select f.kind, f.owner, case when exists (select from current c where ${sameCause('c', 'f')}) then f.cause else '${otherCause}' end as cause,
      sum(f.failed) as failed, max(f.last_at) as last_at, (array_agg(f.example order by f.last_at desc))[1] as example,
      min(f.oldest::text)::uuid as oldest
    from failing f
    where not exists (select from named n join opening o on ${sameOwner('o', 'n')} and o.cause = n.name where ${sameCause('n', 'f')})
    group by 1, 2, 3
  ), states as (
    select c.id, a.failed, a.last_at, a.example, a.oldest, ${failingAt} as failing_at, s.succeeded,
      ${failedAt} is not null or s.seen > 0 as is_new, ${isDeleted} as is_deleted,
      case c.kind
        when 'delivery' then s.succeeded >= ${provingSuccesses}
          and ${failingAt} < now() - case when c.reopened_at is null then ${seconds('$4')} else ${seconds('$5')} end
        when 'gateway' then $7::boolean and ${failingAt} < now() - ${seconds('$4')}
        else c.first_seen_at < now() - ${seconds('$4')}
          and (t.failed is null or t.failed < ${fewest} or ${accepted('c.account_id', `now() - ${seconds('$2')}`, `now() + interval '1 minute'`, 't.failed::bigint')} >= t.failed)
          and ${accepted('c.account_id', 'greatest(c.failing_at, o.failed_at)', `now() + interval '1 minute'`, '2')} >= 2
      end as is_over
    from current c left join owners o on ${sameOwner('o', 'c')} left join adding a on ${sameCause('a', 'c')}
      left join totals t on ${sameOwner('t', 'c')}
      cross join lateral (
        select count(*) as seen, ${after('n', failingAt)} + case when ${failedAt} is null then c.succeeded else 0 end as succeeded
        from fresh n where n.cause is null and ${ownerOf('n')} = c.owner and n.kind = c.kind
          and n.last_at > ${failingAt}
      ) s
  ), updated as (
    update incidents i set
      attempts = i.attempts + coalesce(s.failed, 0), last_seen_at = greatest(i.last_seen_at, s.last_at), failing_at = s.failing_at,
      example_event_id = coalesce(s.example, i.example_event_id), oldest_event_id = least(i.oldest_event_id, s.oldest),
      succeeded = least(s.succeeded, 1000000)::integer, changed_at = clock_timestamp(),
      state = case when s.is_over or s.is_deleted then 'resolved' else i.state end,
      resolved_at = case when s.is_over or s.is_deleted then now() end,
      finished_at = case when s.is_deleted then now() end
    from states s where i.id = s.id and i.state <> 'resolved' and (s.is_new or s.is_over or s.is_deleted)
    returning i.id, i.state
  )`;

/** Successes since the failures that open an incident. They are added with these failures or before, so no later round reads them. */
const succeededSince = (opening: string) => `least(1000000, (
      select ${after('n', `${opening}.failing_at`)} from incident_counts n
      where n.cause is null and n.kind = ${opening}.kind and ${ownerOf('n')} = ${opening}.owner and n.last_at > ${opening}.failing_at
    ))::integer`;

/** Reopens what has ended a short time ago, and opens the rest. */
const opened = `
  before as (
    -- The window may have failures from before the end, which the incident has already.
    select distinct on (o.kind, o.owner, o.cause) r.id, r.resolved_at, o.*, coalesce((
      select sum(n.failed) from incident_counts n
      where n.kind = o.kind and ${ownerOf('n')} = o.owner and n.cause = o.cause and n.last_at > r.resolved_at
    ), o.failed) as failed_since
    from opening o join incidents r on ${endedLately('r', 'o')}
    order by o.kind, o.owner, o.cause, r.resolved_at desc
  ), reopened as (
    update incidents i set state = 'open', reopened_at = now(), resolved_at = null, resolved_by = null, finished_at = null,
      checked_at = null, acknowledged_by = null, acknowledged_at = null, attempts = i.attempts + b.failed_since,
      last_seen_at = greatest(i.last_seen_at, b.last_at), failing_at = b.failing_at, succeeded = ${succeededSince('b')},
      changed_at = clock_timestamp(), example_event_id = coalesce(b.example, i.example_event_id),
      oldest_event_id = least(i.oldest_event_id, b.oldest)
    from before b where i.id = b.id and i.state = 'resolved' and b.last_at > b.resolved_at
    returning i.id
  ), inserted as (
    insert into incidents (id, kind, account_id, consumer_id, cause, first_seen_at, last_seen_at, failing_at, succeeded, attempts,
      example_event_id, oldest_event_id, changed_at)
    select ${newId}, o.kind, o.account_id, case when o.kind = 'delivery' then nullif(o.owner, o.account_id) end, o.cause,
      o.first_at, o.last_at, o.failing_at, ${succeededSince('o')}, o.failed, case when o.kind = 'rejections' then (
        select e.id from accounts a join events e on e.account_slug = a.account_slug and e.account_id = a.id
        where a.id = o.account_id and e.rejection_reason = o.cause and e.id >= ${lowestId(`now() - ${seconds('$2')}`)}
        order by e.id desc limit 1
      ) else o.example end, o.oldest, clock_timestamp()
    from opening o where not exists (select from before b where ${sameCause('b', 'o')})
    order by o.kind = 'gateway' desc, o.failed desc
    limit greatest(0, ${mostOpen} - (select count(*) from current where kind <> 'gateway')) + (select count(*) from opening where kind = 'gateway')
    on conflict do nothing
    returning id
  ), expired as (
    delete from incident_counts where added and at < ${windowStart}
  )`;

const judgeCounts = {
  name: 'judge_incident_counts',
  text: `
    with ${judged}, ${updated}, ${opened}
    select id, 'resolved' as change from updated where state = 'resolved'
    union all select id, 'opened' from reopened union all select id, 'opened' from inserted`,
};

/**
 * Adds what processes have counted to incidents, opens and reopens incidents, and resolves those that are over. To be
 * called by one process at a time.
 *
 * @param mayEndGateway whether incidents of the gateway may resolve: false while reports of them may be missing
 * @returns the incidents that were opened, reopened or resolved.
 */
export function judgeIncidents(
  sql: Sql,
  times: IncidentTimes,
  mayEndGateway: boolean,
): Promise<{ id: string; change: IncidentChange['change'] }[]> {
  const { windowS, rejectedWindowS, acceptedBeforeS, quietS, quietAgainS, reopensS } = times;
  return sql.query<{ id: string; change: IncidentChange['change'] }>(judgeCounts, [
    ...[windowS, rejectedWindowS, acceptedBeforeS, quietS, quietAgainS, reopensS, mayEndGateway],
  ]);
}
