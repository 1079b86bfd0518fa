import type { Database } from '../../src/database/database.ts';
import { growingPauses } from './pauses.ts';

/** Some fields of an event in the API are not in its rows: the link to its workflow comes from Temporal. */
const longestMs = 500;

const readState = {
  name: 'test_event_state',
  text: `
    select (select e::text from events e where e.id = $1) as event,
      (select count(*) from delivery_attempts where event_id = $1) as attempts,
      (select string_agg(n::text, '' order by n::text) from notifications n where n.event_id = $1) as notifications`,
};

/** The state of an event in the database at one moment. */
interface EventState {
  /** Resolves when the state has changed, or after half a second. */
  changed(): Promise<void>;
}

/** Reads the state of an event; null while the database cannot be read. */
export type ReadEventState = (eventId: string) => Promise<EventState | null>;

/**
 * Tells when a new request for an event is useful. Reading the rows costs a tenth of a request, which authenticates,
 * writes an audit entry and asks Temporal.
 */
export function eventStates(database: Database): ReadEventState {
  const read = async (id: string) => JSON.stringify(await database.query(readState, [id]).catch(() => null));
  return async (id) => {
    const before = await read(id);
    if (before === 'null') return null;
    return {
      async changed() {
        const pause = growingPauses();
        for (const endMs = Date.now() + longestMs; Date.now() < endMs; ) {
          await pause();
          if ((await read(id)) !== before) return;
        }
      },
    };
  };
}
