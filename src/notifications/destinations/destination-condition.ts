import { conditionText } from '../../conditions/condition-text.ts';
import type { VariableName } from '../../conditions/tree.ts';

/** The variables of conditions of destinations (docs/notifications.md), in the order in which an editor offers them. */
export const destinationVariableNames = [
  ...(['delivery_failed', 'provider', 'event_type', 'account_slug', 'app_key', 'consumer'] as const),
  ...(['attempts', 'response_code'] as const),
] as const satisfies VariableName[];

/** An event as conditions of destinations see it. */
export interface DestinationVariables {
  delivery_failed: boolean;
  provider: string;
  event_type: string | null;
  account_slug: string;
  app_key: string;
  consumer: string;
  attempts: number;
  /** The HTTP status of the last response; null when there was none. */
  response_code: number | null;
}

/** A valid condition of a destination. */
export const destinationCondition = conditionText(destinationVariableNames, [
  'delivery_failed',
  'delivery_failed and provider == "generic"',
]);
