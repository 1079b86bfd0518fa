import { variablesOfConnections } from './variables-of-connections.ts';
import { variablesOfDeliveries } from './variables-of-deliveries.ts';
import { variablesOfTracing } from './variables-of-tracing.ts';
import { variablesOfWebhooks } from './variables-of-webhooks.ts';

/** All variables, in the order of the documentation. environment.ts says which values they may have. */
export const describedVariables = {
  ...variablesOfConnections,
  ...variablesOfWebhooks,
  ...variablesOfDeliveries,
  ...variablesOfTracing,
};
