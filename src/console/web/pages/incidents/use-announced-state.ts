import { useEffect, useRef } from 'react';
import type { Incident } from '../../api/incidents.ts';
import { announce } from '../../components/announce.ts';

/** Announces that an incident is over, or open again, while its page is open, unless this page changed it. */
export function useAnnouncedState({ state, resolved_by }: Incident): void {
  const before = useRef(state);
  useEffect(() => {
    const was = before.current;
    before.current = state;
    if (was === state) return;
    if (state === 'resolved' && resolved_by === null) announce('It is over: the last attempts succeeded.', 'good');
    else if (was === 'resolved' && state === 'open') announce('It fails again.', 'bad');
  }, [state, resolved_by]);
}
