import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ScenarioOptions } from './deliver/scenario.ts';
import { scenarios } from './deliver/scenarios.ts';
import type { GatewayOptions } from './deliver/stage.ts';

export const usage = `npm run bench -- ingest    [--seconds 10] [--connections 1,64] [--provider generic,stripe,…]
npm run bench -- deliver   [SCENARIOS] [GATEWAY]
npm run bench -- pairs     --with DIR [--pairs 5] [--traces] [--set NAME=VALUE …] [SCENARIOS] [GATEWAY]
npm run bench -- lasting   [--seconds 600] [--rate 500] [--failing 0.02] [--connections 64] [GATEWAY]
npm run bench -- queue     [--events 2000000]
npm run bench -- floor     [--shape settled,retried,exhausted] [--workflow-events 2000] [--delay 2]
npm run bench -- admin     [--events 2000000] [--days 90] [--requests 200] [--connections 1]
npm run bench -- console   [--events 2000000] [--days 90] [--requests 200] [--rate 500] [--seconds 10] [--overview-seconds 60]
npm run bench -- conditions [--rounds 200]
npm run bench -- retention [--events 1000000]
npm run bench -- backup    [--events 1000000] [--connections 1,8] [--seconds 20]

SCENARIOS
  --scenarios ${Object.keys(scenarios).join(',')}
  --events 20000         events of a burst
  --connections 64       connections of the load generator
  --rates 5,100          events a second of the scenario rates, each for --seconds 20
  --backlog 100000       events of the scenario backlog
  --due 10000            events of the scenario due
  --slow-events 1000     events of the scenario slow
  --accounts 1000        accounts of the scenario accounts
  --consumers 1,3        consumers of the account of the scenario consumers
  --bodies 1,10,250      sizes of the scenario bodies in KB
  --filled 0             events in the tables before each scenario
  --workflow-events 2000 at most so many events of a burst or backlog with --api-delivers false

GATEWAY
  --gateway DIR          the checkout that is measured, with its node_modules; by default this one
  --api-delivers …       its API_DELIVERS: true,false (false: workflows make all attempts); by default the variable is left out
  --event-workflows …    its EVENT_WORKFLOWS: always,on_retry; by default the variable is left out
pairs and lasting take the first of several gateways. --with DIR is the checkout that pairs compares with; it may be older. --set sets a variable
of this one, --traces lets it send its traces to a collector that keeps none.`;

const text = (value: string) => ({ type: 'string', default: value }) as const;

const options = {
  seconds: { type: 'string' },
  connections: { type: 'string' },
  events: { type: 'string' },
  provider: text('generic'),
  days: text('90'),
  rounds: text('200'),
  requests: text('200'),
  'overview-seconds': text('60'),
  'workflow-events': text('2000'),
  scenarios: text(Object.keys(scenarios).join(',')),
  rates: text('5,100'),
  backlog: text('100000'),
  due: text('10000'),
  'slow-events': text('1000'),
  accounts: text('1000'),
  consumers: text('1,3'),
  bodies: text('1,10,250'),
  filled: text('0'),
  gateway: { type: 'string' },
  with: { type: 'string' },
  'api-delivers': { type: 'string' },
  'event-workflows': { type: 'string' },
  pairs: text('5'),
  set: { type: 'string', multiple: true, default: [] as string[] },
  traces: { type: 'boolean', default: false },
  rate: text('500'),
  failing: text('0.02'),
  shape: text('settled,retried,exhausted'),
  delay: text('2'),
} as const;

/**
 * Reads the arguments of the command.
 *
 * @throws Error that names an unknown option
 */
export const readArguments = (args: readonly string[]) =>
  parseArgs({ args: [...args], allowPositionals: true, options });

export type Values = ReturnType<typeof readArguments>['values'];

/** @throws Error for what is no number, which would make a benchmark endless */
export function number(given: string): number {
  const parsed = Number(given);
  if (given.trim() === '' || !(parsed >= 0))
    throw new Error(`'${given}' is not a number; npm run bench prints all options`);
  return parsed;
}

export const numbers = (list: string): number[] => list.split(',').map(number);

function scenarioNames({ scenarios: given }: Values): string[] {
  const names = given.split(',');
  const unknown = names.filter((name) => !Object.hasOwn(scenarios, name));
  if (unknown.length > 0) throw new Error(`there is no scenario '${unknown}'; npm run bench prints all of them`);
  return names;
}

/** @throws Error for an unknown scenario, and for what is no number */
export const scenarioOptions = (
  values: Values,
): ScenarioOptions & {
  scenarios: string[];
  filled: number;
  workflowEvents: number;
} => ({
  scenarios: scenarioNames(values),
  events: number(values.events ?? '20000'),
  connections: number(values.connections ?? '64'),
  rates: numbers(values.rates),
  seconds: number(values.seconds ?? '20'),
  backlog: number(values.backlog),
  due: number(values.due),
  accounts: number(values.accounts),
  consumers: numbers(values.consumers),
  bodies: numbers(values.bodies).map((kilobytes) => kilobytes * 1000),
  slowEvents: number(values['slow-events']),
  filled: number(values.filled),
  workflowEvents: number(values['workflow-events']),
});

/** @throws Error for what is not NAME=VALUE */
export function variables({ set }: Values): Record<string, string> {
  return Object.fromEntries(
    set.map((given) => {
      const [, name = '', value = ''] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(given) ?? [];
      if (name === '') throw new Error(`'${given}' is not NAME=VALUE`);
      return [name, value];
    }),
  );
}

/** Each way to start the gateway of a checkout that the options name. */
export function gatewayOptions(values: Values, folder: string | undefined): [GatewayOptions, ...GatewayOptions[]] {
  const checkout = folder === undefined ? null : resolve(folder);
  const each = values['api-delivers']?.split(',') ?? [null];
  if (each.some((given) => given !== null && given !== 'true' && given !== 'false'))
    throw new Error(`--api-delivers must be true, false or both, not '${values['api-delivers']}'`);
  const workflows = values['event-workflows']?.split(',') ?? [null];
  const all = each.flatMap((apiDelivers) =>
    workflows.map((eventWorkflows) => ({ checkout, apiDelivers, eventWorkflows })),
  );
  const [first, ...others] = all;
  if (!first) throw new Error('--event-workflows names no policy');
  return [first, ...others];
}
