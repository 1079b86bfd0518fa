import { answer, api } from '../../api/client.ts';
import { incidentsKey } from '../../api/incidents.ts';
import { useAction } from '../../components/use-action.ts';

export type NextState = 'open' | 'acknowledged' | 'resolved';

const done: Record<NextState, string> = {
  open: 'The incident is open again.',
  acknowledged: 'Acknowledged: colleagues see that you know of it.',
  resolved: 'The incident is closed.',
};

/** Acknowledges, closes or opens an incident. A note that is empty stays as it is. */
export const useIncidentChange = (id: string, onDone?: () => void) =>
  useAction({
    call: ({ state, note = '' }: { state: NextState; note?: string }) => {
      const text = note.trim();
      return answer(api.incidents({ incident_id: id }).patch({ state, ...(text === '' ? {} : { note: text }) }));
    },
    done: ({ state }) => done[state],
    changes: incidentsKey,
    ...(onDone ? { onDone } : {}),
  });
