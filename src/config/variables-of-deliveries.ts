import { everyRole, secret, servers, usedBy } from './variable.ts';

/** Deliveries, notifications, backups, retention and logs. */
export const variablesOfDeliveries = {
  ...usedBy(servers, {
    DELIVERY_SCHEDULE: 'Nine delays between the ten attempts; also `200ms` or `1h`.',
    DELIVERY_TIMEOUT: 'Time limit of one attempt, and of one message to a destination, 100 ms to 2 m.',
    DELIVERY_ALLOWED_NETWORKS:
      'CIDRs that are not public but may be delivered to, `10.0.0.0/8,fd00::/8`. None: `npm start` allows `127.0.0.0/8` and `::1/128`, the other roles nothing.',
    DELIVERY_PROXY:
      'Proxy for [requests to consumers](delivery.md#through-a-proxy), token endpoints and destinations, `http://user:password@proxy.example:3128`. None: no proxy. `HTTPS_PROXY` has no effect.',
    DELIVERY_NO_PROXY:
      'Hosts that are reached without `DELIVERY_PROXY`: names with all below them, addresses and CIDRs, `intern.example,10.0.0.0/8`.',
    DROPPED_HEADERS:
      'Inbound headers that are not forwarded, besides [those of proxies](dropped-headers.md): names separated by commas, with `*` at the end for any suffix, `x-user,x-internal-*`. `_` counts as `-`.',
    ACCOUNT_CONCURRENCY:
      'Attempts of one consumer in flight in each process, and twice as many of all consumers of an account: two `api` and two `worker` make at most four times as many in all.',
  }),
  ...usedBy(['api'], {
    API_DELIVERS:
      'Whether an `api` makes the first attempt of events. `false`: for networks in which an `api` has no way out. If no `api` makes them, the workflows of events make all ten attempts.',
  }),
  ...usedBy(servers, {
    EVENT_WORKFLOWS:
      '[Which events get a workflow](decisions/which-events-get-a-workflow.md): `always` every event, `on_retry` only those that need more than their first attempt.',
  }),
  ...usedBy(['worker'], {
    EVENT_WORKFLOWS_BACKLOG:
      'A number of events and an age. A worker logs a warning when more workflows [wait to be started](operations.md#when-workflow-starts-fall-behind), or one for longer. At most `99999` and `24h`.',
  }),
  ...usedBy(servers, {
    MAIL_FROM_EMAIL: 'Sender of e-mail to destinations.',
    SENDGRID_API_KEY: secret(
      'Key with which e-mail is sent. None: `npm start` writes it into `DATA_DIR/outbox`, with the other roles e-mail destinations fail.',
    ),
    SENDGRID_BASE_URL: "Origin of SendGrid's API, such as `https://api.eu.sendgrid.com`.",
    NOTIFY_BURST:
      'How many messages a chat or e-mail destination gets in ten minutes; further events go into one [summary](notifications.md#limit-the-number-of-messages). None: no limit.',
  }),
  ...usedBy(['worker', 'restore', 'backup-sql'], {
    BACKUP_DIR:
      'Folder for [backups](backups.md), which all workers must share. None: `npm start` uses `DATA_DIR/backups`; a `worker` without this and `BACKUP_URL` makes none.',
    BACKUP_URL: 'Bucket for backups, `s3://bucket/prefix?region=…&endpoint=…`. Counts before `BACKUP_DIR`.',
    AWS_ACCESS_KEY_ID: secret(
      "Credentials of the bucket. None: another source that AWS's tools know, such as the role of the machine.",
    ),
    AWS_SECRET_ACCESS_KEY: secret('The secret that belongs to `AWS_ACCESS_KEY_ID`.'),
  }),
  ...usedBy(['worker'], {
    BACKUP_KEEP: 'How many completed backups are kept.',
    BACKUP_ENCRYPT:
      'Whether backups are encrypted. `false`: everyone who gets the file can read its content. Backups are signed in both cases.',
    AUDIT_RETENTION_DAYS: 'Entries of the audit log older than this are deleted daily, 7 at least.',
    EVENT_RETENTION_DAYS: 'Days of events older than this are deleted daily. None: events are kept.',
  }),
  ...usedBy(everyRole, {
    LOG_LEVEL:
      '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. None: `info` for `api`, `worker` and `migrate`, with a line for each event and attempt; `warn` for `npm start` and the other roles.',
  }),
};
