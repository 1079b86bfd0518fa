import { tracingMistakes } from '../telemetry/tracing/settings.ts';
import { environment } from './environment.ts';

/** One client may use a quarter of the budget for bodies in flight, and the largest body has to fit into it. */
export const bodiesInFlight = 4;

/** The variables, with the checks that involve several of them. */
export const checkedEnvironment = environment.superRefine((given, context) => {
  const leastInFlight = bodiesInFlight * given.MAX_PAYLOAD_BYTES;
  if (given.MAX_BODY_BYTES_IN_FLIGHT !== undefined && given.MAX_BODY_BYTES_IN_FLIGHT < leastInFlight)
    context.addIssue({
      code: 'custom',
      path: ['MAX_BODY_BYTES_IN_FLIGHT'],
      message: `must be ${leastInFlight} or more, four times MAX_PAYLOAD_BYTES: one client gets a quarter of it`,
    });
  for (const [set, missing] of [
    ['TEMPORAL_DEPLOYMENT_NAME', 'TEMPORAL_WORKER_BUILD_ID'],
    ['TEMPORAL_WORKER_BUILD_ID', 'TEMPORAL_DEPLOYMENT_NAME'],
  ] as const)
    if (given[set] !== undefined && given[missing] === undefined)
      context.addIssue({ code: 'custom', path: [missing], message: `is required with ${set}` });
  if (given.ADMIN_TOKENS?.some(({ token }) => token === given.ADMIN_TOKEN))
    context.addIssue({ code: 'custom', path: ['ADMIN_TOKENS'], message: 'holds the token of ADMIN_TOKEN, too' });
  for (const { name, message } of tracingMistakes(given)) context.addIssue({ code: 'custom', path: [name], message });
  if (given.ADMIN_TOKEN !== undefined && given.ADMIN_TOKENS?.some(({ name }) => name === 'admin'))
    context.addIssue({
      code: 'custom',
      path: ['ADMIN_TOKENS'],
      message: "has the name 'admin', which is that of ADMIN_TOKEN",
    });
});
