import type { Sql } from '../database/sql.ts';
import { uuidFloor } from '../database/uuid-time.ts';

/** What the events of an incident have in common. */
export interface OfIncident {
  /** SQL conditions on the event `e`: an event meets one of them. */
  sources: string[];
  /** An event meets all of them. */
  conditions: { column: string; is: '=' | '>=' | '<'; value: unknown }[];
}

/**
 * That the event `e` waits for another attempt, or is exhausted: the condition of the index `events_failing`, in whose order
 * it is read.
 */
export const failing = `(e.retries is not null or (e.undelivered and e.state = 'failed'))`;

/** A rejected webhook is counted after it was stored, which may have waited for others. */
const storedMs = 10_000;

const readScope = {
  name: 'read_scope_of_incident',
  text: `
    select kind, coalesce(consumer_id, account_id) as owner, cause, oldest_event_id, first_seen_at, resolved_at
    from incidents where id = $1`,
};

interface Scope {
  kind: string;
  /** The consumer; for `default`, and for rejected webhooks, the account. */
  owner: string | null;
  cause: string;
  oldest_event_id: string | null;
  first_seen_at: Date;
  resolved_at: Date | null;
}

/** Which events belong to an incident (docs/incidents.md): none if there is no such incident, or it is one of the gateway. */
export async function ofIncident(sql: Sql, id: string): Promise<OfIncident> {
  const [scope] = await sql.query<Scope>(readScope, [id]);
  if (!scope || scope.owner === null) return { sources: ['false'], conditions: [] };
  const { kind, owner, cause, oldest_event_id: oldest, first_seen_at: first, resolved_at: end } = scope;
  const since = oldest ?? uuidFloor(new Date(first.getTime() - storedMs));
  const conditions: OfIncident['conditions'] = [
    { column: 'e.id', is: '>=', value: since },
    ...(end ? [{ column: 'e.id', is: '<' as const, value: uuidFloor(end) }] : []),
  ];
  if (kind === 'rejections')
    return {
      sources: ['e.rejection_reason is not null'],
      conditions: [
        ...conditions,
        { column: 'e.account_id', is: '=', value: owner },
        { column: 'e.rejection_reason', is: '=', value: cause },
      ],
    };
  return {
    sources: [`${failing} and e.undelivered is null`, `${failing} and e.undelivered`],
    conditions: [...conditions, { column: 'coalesce(e.consumer_id, e.account_id)', is: '=', value: owner }],
  };
}
