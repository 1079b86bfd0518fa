import type { Injected } from '../inject.ts';

/** The roles that send what may be sent twice. */
export type Senders = readonly ('api' | 'worker')[];

/** The faults that may separate a POST from its record: those of its senders, of PostgreSQL, of Temporal, and of their connections. */
export interface Disruptions {
  /** Whether one of them was there at some moment between these times. */
  between(fromMs: number, untilMs: number): boolean;
}

/** The clocks of the consumer and of the injection are the same; signals take a moment to arrive. */
const marginMs = 100;

function disrupts({ action }: Injected, senders: Senders): boolean {
  const isSender = (name: string) => senders.some((role) => name.startsWith(role));
  switch (action.do) {
    case 'kill':
    case 'stop':
      return action.processes.some((name) => name === 'postgres' || name === 'temporal' || isSender(name));
    case 'way':
      // A delay is far shorter than every lease and time limit, so it explains nothing.
      return action.fault.kind !== 'delay' && action.ways.some(isSender);
    case 'full-disk':
      // PostgreSQL refuses writes, or ends because it cannot write its log.
      return true;
    case 'end-workflows':
      // An attempt in flight is not known to the workflow that follows.
      return true;
    case 'clock':
    case 'consumer':
    case 'odd-signals':
    case 'pause-deliveries':
    case 'wrong-tokens':
      return false;
    default:
      return action satisfies never;
  }
}

export function disruptionsOf(injected: readonly Injected[], senders: Senders): Disruptions {
  const times = injected.filter((fault) => disrupts(fault, senders));
  return {
    between: (fromMs, untilMs) =>
      times.some(({ beganMs, endedMs }) => beganMs - marginMs <= untilMs && fromMs <= endedMs + marginMs),
  };
}
