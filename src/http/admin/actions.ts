/** What the admin API does with each noun. An action is `noun.verb`, such as `account.create`. */
const verbs = {
  token: ['read', 'list', 'create', 'revoke'],
  account: [
    ...(['list', 'create', 'read', 'update', 'delete', 'pause', 'resume', 'consumer', 'secrets'] as const),
    ...(['compare_secrets', 'test_delivery'] as const),
  ],
  consumer: ['list', 'create', 'read', 'update', 'delete', 'pause', 'resume', 'backfill'],
  provider: ['list'],
  destination: ['list', 'create', 'update', 'delete', 'test'],
  condition: ['check', 'names', 'preview'],
  event: [
    ...([
      'list',
      'filters',
      'search',
      'stream',
      'feed',
      'read',
      'payload',
      'replay',
      'replay_failed',
      'ack',
      'fail',
    ] as const),
    ...(['rejected', 'check'] as const),
    ...(['count', 'answers', 'export'] as const),
    // `bulk_end` is written by a worker when a bulk job ends.
    ...(['bulk', 'bulk_list', 'bulk_read', 'bulk_stop', 'bulk_end'] as const),
  ],
  incident: ['list', 'read', 'update', 'messages'],
  delivery: ['stats', 'series', 'accounts', 'failed', 'retrying', 'retry', 'pause', 'resume'],
  audit: ['list', 'stats', 'verify', 'purge'],
  backup: ['list', 'trigger'],
  upkeep: ['list', 'runs', 'trigger', 'pause', 'resume'],
  process: ['list'],
  health: ['read'],
  settings: ['read'],
  /** Written by `npm run reseal`. */
  secrets: ['reseal'],
  auth: ['denied'],
} as const;

type Verbs = typeof verbs;
type NamedAction = { [Noun in keyof Verbs]: `${Noun}.${Verbs[Noun][number]}` }[keyof Verbs];

/** The action of an entry of the audit log. `unknown`: an address under /admin that does not exist. */
export type AuditAction = NamedAction | 'unknown';

/**
 * The actions of audit log entries: one for each route of the admin API, one for refused calls, one for unknown paths.
 */
export const auditActions: readonly AuditAction[] = [
  ...Object.entries<readonly string[]>(verbs).flatMap(([noun, some]) =>
    some.map((verb) => `${noun}.${verb}` as NamedAction),
  ),
  'unknown',
];

/** The actions about one event that change nothing and send nothing. */
export const readActions = ['condition.check', 'event.read', 'event.payload'] as const satisfies AuditAction[];

/** The reads of which each call has an entry: they show a payload, say what is in one, or take many events out. */
export const payloadReads = [
  ...([
    'event.read',
    'event.payload',
    'event.search',
    'event.feed',
    'event.export',
    'condition.check',
    'condition.preview',
  ] as const),
] satisfies AuditAction[];
