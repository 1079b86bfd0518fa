import type { Injected } from '../inject.ts';

/** The faults that may separate a POST from its record: those of a worker, of PostgreSQL, of Temporal, and of their connections. */
export interface Disruptions {
  /** Whether one of them was there at some moment between these times. */
  between(fromMs: number, untilMs: number): boolean;
}

/** The clocks of the consumer and of the injection are the same; signals take a moment to arrive. */
const marginMs = 100;

function disrupts({ action }: Injected): boolean {
  switch (action.do) {
    case 'kill':
    case 'stop':
      return action.processes.some((name) => !name.startsWith('api'));
    case 'way':
      // A delay is far shorter than every lease and time limit, so it explains nothing.
      return action.fault.kind !== 'delay' && action.ways.some((way) => way.startsWith('worker'));
    case 'full-disk':
      // PostgreSQL refuses writes, or ends because it cannot write its log.
      return true;
    case 'clock':
    case 'consumer':
    case 'odd-signals':
    case 'wrong-tokens':
      return false;
    default:
      return action satisfies never;
  }
}

export function disruptionsOf(injected: readonly Injected[]): Disruptions {
  const times = injected.filter(disrupts);
  return {
    between: (fromMs, untilMs) =>
      times.some(({ beganMs, endedMs }) => beganMs - marginMs <= untilMs && fromMs <= endedMs + marginMs),
  };
}
