/** What the arguments of commands name: it must exist. */
export interface Named {
  /** `provider/slug` */
  account: string;
  /** The id of a delivered event. */
  event: string;
  /** The id of an incident. */
  incident: string;
  bodyFile: string;
  /** A secret that GitHub could have. */
  secretFile: string;
  /** The headers that `sign` has printed for the body. */
  headersFile: string;
  /** A plan that changes nothing. */
  planFile: string;
}

export interface Call {
  /** `reads`: prints and ends, without a change. `follows`: goes on until it is stopped. */
  kind: 'reads' | 'follows' | 'changes';
  args(named: Named): string[];
  /** It needs no gateway. */
  offline?: true;
  /**
   * Its lines belong to a file or to a stream of items, so that they stay whole in any terminal: what a user copies or a
   * program reads has no line break that was added.
   */
  wholeLines?: true;
  /** The exit codes that are right; 0 without. */
  codes?: readonly number[];
}

type More = Pick<Call, 'offline' | 'wholeLines' | 'codes'>;
type Args = readonly string[] | ((named: Named) => readonly string[]);
const call =
  (kind: Call['kind']) =>
  (args: Args = [], more: More = {}): Call => ({
    kind,
    args: (named) => [...(typeof args === 'function' ? args(named) : args)],
    ...more,
  });
const [reads, follows, changes] = [call('reads'), call('follows'), call('changes')];
const ofAccount = ({ account }: Named) => [account];
const ofEvent = ({ event }: Named) => [event];
const ofIncident = ({ incident }: Named) => [incident];
const onCall = ({ account }: Named) => [account, 'On-call'];
const billing = ({ account }: Named) => [account, 'billing'];
const signed = ({ bodyFile, secretFile }: Named) => ['github', '--body-file', bodyFile, '--secret-file', secretFile];
const aField = ['--set', 'enabled=true'];

/** One call of each command of the command line, by its name. */
export const everyCommand: Readonly<Record<string, Call>> = {
  login: changes(['--token-file', '-']),
  logout: changes([], { offline: true }),
  // On a busy machine not all is well: the database is slow.
  status: reads([], { codes: [0, 1] }),
  'accounts list': reads(),
  'accounts show': reads(ofAccount),
  'accounts create': changes(['generic/other', ...aField]),
  'accounts update': changes((named) => [named.account, ...aField]),
  'accounts delete': changes(ofAccount),
  'consumers list': reads(ofAccount),
  'consumers show': reads(billing),
  'consumers create': changes((named) => [named.account, 'other', ...aField]),
  'consumers update': changes((named) => [...billing(named), ...aField]),
  'consumers delete': changes(billing),
  'destinations list': reads(ofAccount),
  'destinations show': reads(onCall),
  'destinations create': changes((named) => [named.account, 'other', ...aField]),
  'destinations update': changes((named) => [...onCall(named), ...aField]),
  'destinations delete': changes(onCall),
  'events list': reads(),
  'events show': reads(ofEvent),
  'events payload': reads(ofEvent, { wholeLines: true }),
  'events tail': reads(['--since', '1h', '--no-follow'], { wholeLines: true }),
  'events replay': changes(ofEvent),
  'events retry': changes(ofEvent),
  'events ack': changes(ofEvent),
  'events fail': changes(ofEvent),
  'replay-failed': changes(),
  // It ends when the gateway is away for a moment. Its view in a terminal has tests of its own.
  listen: follows(['--give-up', '1ms']),
  send: changes((named) => ['generic/order.created', '--account', named.account, '--secret-file', '-']),
  sign: reads(signed, { offline: true, wholeLines: true }),
  verify: reads((named) => [...signed(named), '--headers-file', named.headersFile], { offline: true }),
  'deliveries stats': reads(),
  'deliveries failed': reads(),
  'deliveries retrying': reads(),
  'incidents list': reads(),
  'incidents show': reads(ofIncident),
  'incidents ack': changes(ofIncident),
  'incidents resolve': changes(ofIncident),
  'incidents reopen': changes(ofIncident),
  pause: changes(ofAccount),
  resume: changes(ofAccount),
  'tokens list': reads(),
  'tokens create': changes(['other', '--role', 'read']),
  'tokens revoke': changes(['other']),
  'audit list': reads(),
  'audit verify': reads(),
  'backups list': reads(),
  'backups trigger': changes(),
  'backups verify': reads(),
  'maintenance list': reads(),
  'maintenance runs': reads(['sweep']),
  'maintenance run': changes(['sweep']),
  'maintenance pause': changes(['sweep']),
  'maintenance resume': changes(['sweep']),
  plan: reads(({ planFile }) => ['-f', planFile]),
  apply: changes(({ planFile }) => ['-f', planFile]),
  export: reads([], { wholeLines: true }),
  completion: reads(['bash'], { offline: true, wholeLines: true }),
};

/** The arguments of a call: the command, what it names, and `--yes` in place of a question. */
export const argsOf = (name: string, { args }: Call, named: Named): string[] => [
  ...name.split(' '),
  ...args(named),
  '--yes',
];
