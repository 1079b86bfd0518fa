import { type EventWorkflows, eventWorkflows } from '../../src/events/event-workflows.ts';

/**
 * The policy of gateways whose tests do not choose one: `always`, or the value of TEST_EVENT_WORKFLOWS, with which
 * `npm run test:policies` runs the same tests again. A test that asserts which events have a
 * workflow asks its gateway (`eventWorkflows`).
 */
export function policy(): EventWorkflows {
  const given = process.env.TEST_EVENT_WORKFLOWS ?? 'always';
  const found = eventWorkflows.find((one) => one === given);
  if (!found) throw new Error(`TEST_EVENT_WORKFLOWS must be one of: ${eventWorkflows.join(', ')}`);
  return found;
}
