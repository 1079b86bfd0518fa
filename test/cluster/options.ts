import { parseArgs } from 'node:util';
import { defaultLoadS, defaultRate } from '../faults/settings.ts';
import { wholeNumber } from '../support/whole-number.ts';

/** The parts of `npm run cluster`, in the order in which they run. */
export const parts = ['e2e', 'faults', 'kill', 'bench', 'scale', 'cost', 'actions', 'disk'] as const;
export type PartName = (typeof parts)[number];
/** What runs without `--only`, `--scale` and several numbers of apis. The others measure, and take long. */
const usualParts: readonly PartName[] = ['e2e', 'faults', 'kill', 'bench'];

export const usage = `npm run cluster                     runs ${usualParts.join(', ')}, one after the other
npm run cluster -- --up             starts the cluster, prints its addresses, and stops it at Ctrl-C
npm run cluster -- --scale          measures 1, 2 and 4 apis, the fairness between accounts, and the memory of waiting workflows
npm run cluster -- --apis 1,2,4     measures the CPU time of an event with 1, 2 and 4 apis, by process and by statement (part cost)
npm run cluster -- --only PART,…    runs these parts: ${parts.join(', ')}

  --apis 2 --workers 2      processes of --up, bench and disk
  --nginx PROGRAM           nginx 1.27.3 or newer, with docker/nginx/nginx.conf, in the place of the test's balancer; for --up and bench
  --port 8080               where --up listens; another free port if it is taken
  --tests test/e2e          files or folders of tests for e2e
  --seeds 1,2,3             seeds of faults
  --seconds ${defaultLoadS} --rate ${defaultRate}    the load of a seed of faults; the rate of kill
  --scenarios burst,rates   scenarios of bench (see npm run bench)
  --pairs 1                 how often bench measures both, and cost each number of apis; with more, they print the medians
  --events 20000            events of a burst of bench, of cost for each api, of disk, and of each kind of actions (there at most 100)
  --measure in-flight,fair,memory   what scale measures
  --waiting 10000           workflows that wait in scale`;

/** What scale can measure. */
const scaleMeasures = ['in-flight', 'fair', 'memory'] as const;
export type ScaleMeasure = (typeof scaleMeasures)[number];

/**
 * Reads the arguments of the command.
 *
 * @throws Error that names the argument which is wrong.
 */
export function readOptions(args: readonly string[]) {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      up: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      only: { type: 'string' },
      apis: { type: 'string' },
      workers: text('2'),
      nginx: { type: 'string' },
      port: text('8080'),
      tests: text('test/e2e'),
      seeds: text('1,2,3'),
      seconds: text(String(defaultLoadS)),
      rate: text(String(defaultRate)),
      scenarios: text('burst,rates'),
      pairs: text('1'),
      events: text('20000'),
      measure: text(scaleMeasures.join(',')),
      waiting: text('10000'),
    },
  });
  const number = (name: 'workers' | 'port' | 'pairs' | 'seconds' | 'rate' | 'events' | 'waiting') =>
    wholeNumber(`--${name}`, values[name]);
  const only = values.only?.split(',').map((name) => known('--only', name, parts));
  const several = values.apis?.split(',').map((count) => wholeNumber('--apis', count)) ?? [];
  const [apis = 2] = several;
  const chosen = only ?? measuring(values.scale, several) ?? [...usualParts];
  if (several.length > 1 && (values.up || chosen.some((part) => part === 'bench' || part === 'disk')))
    throw new Error('--apis has several numbers, which only the part cost compares; --up, bench and disk take one');
  return {
    /** Starts the cluster for people to try, and runs no part. */
    up: values.up,
    parts: chosen,
    apis,
    /** The numbers of apis that cost compares. */
    apiCounts: several.length > 0 ? several : [1, 2, 4],
    workers: number('workers'),
    port: number('port'),
    /** The program of nginx; null: the test's balancer. */
    nginx: values.nginx ?? null,
    tests: values.tests.split(','),
    seeds: values.seeds.split(',').map((seed) => wholeNumber('--seeds', seed)),
    pairs: number('pairs'),
    seconds: number('seconds'),
    rate: number('rate'),
    scenarios: values.scenarios.split(','),
    events: number('events'),
    measures: values.measure.split(',').map((name) => known('--measure', name, scaleMeasures)),
    waiting: number('waiting'),
  };
}
export type ClusterCommand = ReturnType<typeof readOptions>;

/** What runs without --only when something is to be measured. */
function measuring(scale: boolean, apis: readonly number[]): PartName[] | null {
  const found: PartName[] = [...(scale ? ['scale' as const] : []), ...(apis.length > 1 ? ['cost' as const] : [])];
  return found.length > 0 ? found : null;
}

function known<Name extends string>(option: string, value: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === value);
  if (found === undefined) throw new Error(`${option} has no '${value}'; there are: ${names.join(', ')}`);
  return found;
}
