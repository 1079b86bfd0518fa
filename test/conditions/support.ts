import { parseCondition } from '../../src/conditions/parse.ts';
import type { Condition } from '../../src/conditions/tree.ts';
import {
  type DestinationVariables,
  destinationVariableNames,
} from '../../src/notifications/destinations/destination-condition.ts';

/** An event whose attempts have all failed. */
export const failed: DestinationVariables = {
  delivery_failed: true,
  provider: 'generic',
  event_type: 'order.paid',
  account_slug: 'shop',
  consumer: 'default',
  app_key: 'my-app',
  attempts: 10,
  response_code: 503,
};

/** The tree of a valid condition. Throws for any other text. */
export function treeOf(text: string): Condition {
  const parsed = parseCondition(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.line}:${parsed.column} ${parsed.message}`);
  return parsed.condition;
}

/** The error of an invalid condition of a destination, as `line:column message`. */
export function errorOf(text: string): string {
  const parsed = parseCondition(text, destinationVariableNames);
  if (parsed.ok) throw new Error(`${text} is a condition`);
  return `${parsed.line}:${parsed.column} ${parsed.message}`;
}

/** Processor time of this process that `work` takes, in ms: other programs of the machine do not change it. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
