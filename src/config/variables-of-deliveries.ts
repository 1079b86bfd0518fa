import { everyRole, servers, type Variable } from './variable.ts';

/** Deliveries, notifications, backups, retention and logs. */
export const variablesOfDeliveries = {
  DELIVERY_SCHEDULE: { roles: servers, meaning: 'Nine delays between the ten attempts; also `200ms` or `1h`.' },
  DELIVERY_TIMEOUT: {
    roles: servers,
    meaning: 'Time limit of one attempt, and of one message to a destination, 100 ms to 2 m.',
  },
  DELIVERY_ALLOWED_NETWORKS: {
    roles: servers,
    meaning:
      'CIDRs that are not public but may be delivered to, `10.0.0.0/8,fd00::/8`. None: `npm start` allows `127.0.0.0/8` and `::1/128`, the other roles nothing.',
  },
  DROPPED_HEADERS: {
    roles: servers,
    meaning:
      'Inbound headers that are not forwarded, besides [those of proxies](dropped-headers.md): names separated by commas, with `*` at the end for any suffix, `x-user,x-internal-*`. `_` counts as `-`.',
  },
  ACCOUNT_CONCURRENCY: {
    roles: servers,
    meaning:
      'Attempts of one account in flight in each process: two `api` and two `worker` make at most four times as many in all.',
  },
  API_DELIVERS: {
    roles: ['api'],
    meaning:
      'Whether an `api` makes the first attempt of events. `false`: for networks in which an `api` has no way out. If no `api` makes them, the workflows of events make all ten attempts.',
  },
  EVENT_WORKFLOWS: {
    roles: servers,
    meaning:
      '[Which events get a workflow](decisions/which-events-get-a-workflow.md): `always` every event, `on_retry` only those that need more than their first attempt.',
  },
  EVENT_WORKFLOWS_BACKLOG: {
    roles: ['worker'],
    meaning:
      'A number of events and an age. A worker logs a warning when more workflows [wait to be started](operations.md#when-workflow-starts-fall-behind), or one for longer. At most `99999` and `24h`.',
  },
  MAIL_FROM_EMAIL: { roles: servers, meaning: 'Sender of e-mail to destinations.' },
  SENDGRID_API_KEY: {
    roles: servers,
    secret: true,
    meaning:
      'Key with which e-mail is sent. None: `npm start` writes it into `DATA_DIR/outbox`, with the other roles e-mail destinations fail.',
  },
  SENDGRID_BASE_URL: { roles: servers, meaning: "Origin of SendGrid's API, such as `https://api.eu.sendgrid.com`." },
  NOTIFY_BURST: {
    roles: servers,
    meaning:
      'How many messages a chat or e-mail destination gets in ten minutes; further events go into one [summary](notifications.md#limit-the-number-of-messages). None: no limit.',
  },
  BACKUP_DIR: {
    roles: ['worker', 'restore', 'backup-sql'],
    meaning:
      'Folder for [backups](backups.md), which all workers must share. None: `npm start` uses `DATA_DIR/backups`; a `worker` without this and `BACKUP_URL` makes none.',
  },
  BACKUP_URL: {
    roles: ['worker', 'restore', 'backup-sql'],
    meaning: 'Bucket for backups, `s3://bucket/prefix?region=…&endpoint=…`. Counts before `BACKUP_DIR`.',
  },
  AWS_ACCESS_KEY_ID: {
    roles: ['worker', 'restore', 'backup-sql'],
    secret: true,
    meaning: "Credentials of the bucket. None: another source that AWS's tools know, such as the role of the machine.",
  },
  AWS_SECRET_ACCESS_KEY: {
    roles: ['worker', 'restore', 'backup-sql'],
    secret: true,
    meaning: 'The secret that belongs to `AWS_ACCESS_KEY_ID`.',
  },
  BACKUP_KEEP: { roles: ['worker'], meaning: 'How many completed backups are kept.' },
  BACKUP_ENCRYPT: {
    roles: ['worker'],
    meaning:
      'Whether backups are encrypted. `false`: everyone who gets the file can read its content. Backups are signed in both cases.',
  },
  AUDIT_RETENTION_DAYS: {
    roles: ['worker'],
    meaning: 'Entries of the audit log older than this are deleted daily, 7 at least.',
  },
  EVENT_RETENTION_DAYS: {
    roles: ['worker'],
    meaning: 'Days of events older than this are deleted daily. None: events are kept.',
  },
  LOG_LEVEL: {
    roles: everyRole,
    meaning:
      '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. None: `warn` for `npm start`, else `info`, which has a line for each event and attempt.',
  },
} satisfies Record<string, Variable>;
