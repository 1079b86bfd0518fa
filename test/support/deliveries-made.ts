import { expect } from 'vitest';
import type { Delivery } from './consumer.ts';
import type { RunningRole } from './running-role.ts';
import { until } from './until.ts';

/** The event of each delivery. */
export const eventsOf = (deliveries: readonly Pick<Delivery, 'headers'>[]) =>
  deliveries.map(({ headers }) => String(headers['webhook-id']));

/**
 * Checks that each wanted delivery was made, and no other one. While a process stands still for 4 s, another takes over its
 * claims and makes its attempts again. So as many more deliveries are allowed as processes say that they have taken over, if
 * a process says that its heartbeat was late.
 *
 * @param made the event of each delivery
 * @param wanted the event of each wanted delivery: as often as it is to be delivered
 * @param processes all that make deliveries
 * @returns the events of the deliveries that were not wanted
 */
export async function expectDeliveries(
  made: readonly string[],
  wanted: readonly string[],
  processes: readonly Pick<RunningRole, 'stderr'>[],
): Promise<string[]> {
  const missing = [...wanted];
  const again = made.filter((id) => {
    const at = missing.indexOf(id);
    if (at !== -1) missing.splice(at, 1);
    return at === -1;
  });
  expect(missing, 'not delivered').toEqual([]);
  expect(again.filter((id) => !wanted.includes(id))).toEqual([]);
  // The process that stood still may do so at this moment. It says so when it goes on.
  if (again.length > 0)
    await until(`processes say why they delivered again: ${again}`, () => takenOver(processes) >= again.length);
  return again;
}

/** How many claims of events were taken over from processes that stood still. */
function takenOver(processes: readonly Pick<RunningRole, 'stderr'>[]): number {
  const said = processes.map((one) => one.stderr()).join('\n');
  return said.includes('"msg":"heartbeat late') ? claimsTakenOver(said) : 0;
}

/** How many claims of events the processes with these logs have taken over. */
export function claimsTakenOver(said: string): number {
  const taken = said.matchAll(/"events":(\d+),"commands":\d+,"msg":"claims of a dead process are taken over"/g);
  return [...taken].reduce((sum, [, events]) => sum + Number(events), 0);
}
