import { databaseUsers, secret, servers, temporalCallers, usedBy } from './variable.ts';

/** Where the gateway listens, and the servers that it uses. */
export const variablesOfConnections = {
  ...usedBy(servers, {
    HOST: 'Address that the gateway listens on, a `worker` for [`/metrics`](metrics.md) and the health checks.',
    PORT: 'Port of an `api` or `npm start`; 0 takes a free one. A `worker` does not listen on it: without PUBLIC_URL, its links lead there.',
    PUBLIC_URL:
      "The gateway's public address, `https://hooks.example.com`: for links in notifications, for the text that the start prints, and for providers that sign the address (`twilio`). None: the address that it listens on, and for signatures the `Host` of the request.",
    METRICS_PORT:
      'Port for [`/metrics`](metrics.md) and the health checks; 0 takes a free one, which the log names. None: port 9464 of a `worker`; of the others they are on `PORT`. With it, `/metrics` is no longer on `PORT`.',
  }),
  ...usedBy(['all', 'restore', 'backup-sql', 'reseal'], {
    DATA_DIR: 'Folder for the servers and secrets of `npm start`.',
  }),
  ...usedBy(databaseUsers, {
    DATABASE_URL:
      'PostgreSQL to use (tested with 18), `postgresql://…`, with [TLS](#tls) as its `sslmode` says. None: `npm start` runs its own; the other roles need one.',
    PGSSLMODE: '`sslmode` of a `DATABASE_URL` that names none, as in libpq.',
  }),
  ...usedBy(temporalCallers, {
    TEMPORAL_ADDRESS:
      'Temporal to use, `host:port`. None: `npm start` runs its own; `worker` needs one, here or in a [profile](#tls).',
    TEMPORAL_NAMESPACE: 'Its namespace, which must exist in a Temporal of your own.',
  }),
  ...usedBy(servers, {
    TEMPORAL_TASK_QUEUE:
      'Task queue of deliveries. The [other queues](task-queues.md) have it as the beginning of their names.',
  }),
  ...usedBy(['worker'], {
    WORKER_QUEUES:
      'What a `worker` takes, some of `deliveries,notifications,maintenance,backups`; see [Task queues](task-queues.md). None: all of them, but `backups` only with `BACKUP_DIR` or `BACKUP_URL`. `npm start` takes all.',
  }),
  ...usedBy(['worker', 'promote'], {
    TEMPORAL_DEPLOYMENT_NAME:
      'Name under which Temporal keeps the builds of a `worker`; see [Changing a workflow](changing-a-workflow.md). None: workers have no builds. `npm start` has none.',
    TEMPORAL_WORKER_BUILD_ID:
      'The build of a `worker`, such as the version of its image. Required with `TEMPORAL_DEPLOYMENT_NAME`.',
  }),
  ...usedBy(temporalCallers, {
    TEMPORAL_API_KEY: secret('API key for Temporal.'),
    TEMPORAL_TLS: '`true` or `false`. None: [TLS](#tls) if there is an API key or another setting of TLS.',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH:
      "File of the authorities that sign Temporal's certificate, in PEM. None: those of the machine.",
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: secret('The same as a text instead of a file.'),
    TEMPORAL_TLS_SERVER_NAME: "Name in Temporal's certificate. None: the host of the address.",
    TEMPORAL_TLS_CLIENT_CERT_PATH: 'File of the client certificate, in PEM.',
    TEMPORAL_TLS_CLIENT_CERT_DATA: secret('The same as a text instead of a file.'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: 'File of its private key, in PEM, without a passphrase.',
    TEMPORAL_TLS_CLIENT_KEY_DATA: secret('The same as a text instead of a file.'),
    TEMPORAL_TLS_DISABLE_HOST_VERIFICATION:
      'Not supported: `true` stops the start. Set `TEMPORAL_TLS_SERVER_NAME` instead.',
    TEMPORAL_PROFILE: "Profile of Temporal's configuration file. None: its `default`, if there is one.",
    TEMPORAL_CONFIG_FILE:
      "Temporal's configuration file. None: `temporalio/temporal.toml` in the user's configuration folder, if it exists.",
  }),
  ...usedBy(['all'], {
    TEMPORAL_UI_PORT: "Port of the Web UI of `npm start`'s own Temporal; another one if it is taken.",
    TEMPORAL_RETENTION_HOURS:
      "How long `npm start`'s own Temporal keeps closed workflows, 1 at least ([disk](sizing.md#disk)). Events are kept independently of it.",
  }),
  ...usedBy(['api'], {
    TEMPORAL_UI_URL:
      "Where people reach Temporal's Web UI, for links. None: that of `npm start`'s own Temporal; without one, events show no link.",
  }),
};
