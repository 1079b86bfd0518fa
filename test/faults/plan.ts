import type { WayFault } from '../support/tcp-proxy.ts';
import { type Mood, moods } from './consumer.ts';
import { Random } from './random.ts';
import { quietMs } from './settings.ts';

/** The gateway's processes of a seed. */
export const roleNames = ['api-1', 'api-2', 'worker-1', 'worker-2'] as const;
export type RoleName = (typeof roleNames)[number];
export const serverNames = ['postgres', 'temporal'] as const;
export type ServerName = (typeof serverNames)[number];
export type ProcessName = RoleName | ServerName;
/** The connections of one process to one server. */
export type Way = `${RoleName}>${ServerName}`;

/** What a fault does while it lasts. */
export type Action =
  | { do: 'kill' | 'stop'; processes: ProcessName[] }
  | { do: 'way'; ways: Way[]; fault: WayFault }
  | { do: 'full-disk' }
  | { do: 'clock'; process: RoleName; offsetS: number }
  | { do: 'consumer'; mood: Mood }
  | { do: 'odd-signals' }
  | { do: 'end-workflows' }
  | { do: 'pause-deliveries' }
  | { do: 'wrong-tokens' };

export interface Fault {
  /** The kind, as in `--faults`: such as `kill-worker` or `cut-temporal`. */
  kind: string;
  /** Milliseconds after the start of the load. */
  atMs: number;
  lastsMs: number;
  action: Action;
}

type Make = (random: Random) => { lastsMs: number; action: Action };

const numbered = (role: 'api' | 'worker', random: Random): RoleName => `${role}-${random.pick([1, 2] as const)}`;
/** The process of a server, or one of a role's two processes, and in some cases both. */
function someOf(target: 'api' | 'worker' | ServerName, random: Random): ProcessName[] {
  if (target !== 'api' && target !== 'worker') return [target];
  return random.chance(0.2) ? [`${target}-1`, `${target}-2`] : [numbered(target, random)];
}

/** All connections of one role to a server, or those of all roles. The api's to Temporal serve operators only. */
function waysTo(server: ServerName, random: Random): Way[] {
  const from = server === 'temporal' ? roleNames.filter((name) => name.startsWith('worker')) : roleNames;
  const chosen = random.chance(0.5) ? [random.pick(from)] : from;
  return chosen.map((name): Way => `${name}>${server}`);
}

/** Longer than the heartbeat timeout of an attempt (10 s), so that Temporal gives the attempt to the other worker. */
const longStopMs = 12_000;

const kinds: Record<string, Make> = {};
for (const target of ['api', 'worker', ...serverNames] as const) {
  kinds[`kill-${target}`] = (random) => ({
    lastsMs: random.between(300, 6_000),
    action: { do: 'kill', processes: someOf(target, random) },
  });
  kinds[`stop-${target}`] = (random) => ({
    lastsMs: random.chance(0.2) ? longStopMs : random.between(300, 5_000),
    action: { do: 'stop', processes: someOf(target, random) },
  });
}
for (const server of serverNames) {
  kinds[`cut-${server}`] = (random) => ({
    lastsMs: random.between(10, 5_000),
    action: { do: 'way', ways: waysTo(server, random), fault: { kind: 'cut' } },
  });
  kinds[`delay-${server}`] = (random) => ({
    lastsMs: random.between(2_000, 6_000),
    action: { do: 'way', ways: waysTo(server, random), fault: { kind: 'delay', delayMs: random.between(20, 250) } },
  });
  kinds[`half-close-${server}`] = (random) => ({
    lastsMs: random.between(1_000, 6_000),
    action: {
      do: 'way',
      ways: waysTo(server, random),
      fault: { kind: 'half-close', side: random.pick(['client', 'server'] as const) },
    },
  });
}
kinds['full-disk'] = (random) => ({ lastsMs: random.between(1_000, 5_000), action: { do: 'full-disk' } });
const hourS = 3_600;
for (const role of ['api', 'worker'] as const)
  kinds[`clock-${role}`] = (random) => ({
    lastsMs: random.between(1_000, 8_000),
    action: { do: 'clock', process: numbered(role, random), offsetS: random.pick([hourS, -hourS]) },
  });
for (const mood of moods)
  kinds[`consumer-${mood}`] = (random) => ({
    lastsMs: random.between(1_000, 4_000),
    action: { do: 'consumer', mood },
  });

for (const kind of ['odd-signals', 'end-workflows', 'wrong-tokens'] as const)
  kinds[kind] = (random) => ({ lastsMs: random.between(500, 3_000), action: { do: kind } });
// Long enough that retries become due in it.
kinds['pause-deliveries'] = (random) => ({ lastsMs: random.between(500, 8_000), action: { do: 'pause-deliveries' } });

/** The kinds of faults, for `--faults`. */
export const faultKinds: readonly string[] = Object.keys(kinds);

/** What a fault needs for itself: two faults of the same thing never overlap. */
function thingsOf(action: Action): string[] {
  switch (action.do) {
    case 'kill':
    case 'stop':
      return action.processes;
    case 'way':
      return action.ways;
    case 'full-disk':
      return ['postgres'];
    case 'clock':
      // A process that is killed forgets nothing: the clock is that of its machine.
      return [`clock of ${action.process}`];
    case 'consumer':
      return ['consumer'];
    case 'odd-signals':
      // A worker that is killed forgets the ends of workflows that signals have brought about.
      return ['signals', 'worker-1', 'worker-2'];
    case 'end-workflows':
      return ['workflows'];
    case 'pause-deliveries':
      return ['deliveries'];
    case 'wrong-tokens':
      return ['tokens'];
    default:
      return action satisfies never;
  }
}

/** How long nothing of the same thing follows: a process is up again, and a worker has repaired what signals have ended. */
const restMs = ({ do: what }: Action) => (what === 'odd-signals' ? 5_000 : 1_000);

/**
 * The faults of a seed, in the order of their start. One row of faults follows upon another, and a second row begins
 * later, so that faults occur in turn and at once. At one moment, several begin together.
 */
export function planFaults(options: { seed: number; loadS: number; only: readonly string[] }): Fault[] {
  const random = new Random(options.seed);
  const endMs = options.loadS * 1000;
  const busy: { thing: string; untilMs: number; fromMs: number }[] = [];
  const faults: Fault[] = [];
  const add = (atMs: number): number => {
    // A few tries: most things may be busy with a fault at this moment, and the end may be near.
    for (let tries = 0; tries < 8; tries++) {
      const kind = random.pick(options.only);
      const made = kinds[kind]?.(random);
      if (!made) throw new Error(`there is no fault '${kind}'`);
      const untilMs = atMs + made.lastsMs;
      // All faults end with the load, so that the rest of the seed's time is left for the recovery.
      if (untilMs > endMs) continue;
      const things = thingsOf(made.action);
      const freeMs = untilMs + restMs(made.action);
      if (busy.some((one) => things.includes(one.thing) && one.fromMs < freeMs && atMs < one.untilMs)) continue;
      for (const thing of things) busy.push({ thing, fromMs: atMs, untilMs: freeMs });
      faults.push({ kind, atMs, ...made });
      return untilMs;
    }
    return atMs;
  };
  const row = (fromMs: number) => {
    for (let atMs = fromMs; atMs < endMs; atMs = add(atMs) + random.between(200, 2_500));
  };
  const togetherMs = random.between(endMs / 3, (endMs * 2) / 3);
  for (let n = 0; n < 3; n++) add(togetherMs);
  row(quietMs);
  row(quietMs + endMs / 3);
  return faults.sort((a, b) => a.atMs - b.atMs);
}

/** A fault in words, for the output of a seed. */
export function inWords({ kind, atMs, lastsMs, action }: Fault): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  const what =
    action.do === 'way'
      ? `${action.ways.join(' ')}${action.fault.kind === 'delay' ? ` by ${Math.round(action.fault.delayMs)} ms` : ''}${action.fault.kind === 'half-close' ? ` (${action.fault.side})` : ''}`
      : action.do === 'clock'
        ? `${action.process} by ${action.offsetS} s`
        : action.do === 'kill' || action.do === 'stop'
          ? action.processes.join(' ')
          : '';
  return `${seconds(atMs)}–${seconds(atMs + lastsMs)} s ${kind} ${what}`.trimEnd();
}
