/** How `run-commands.test.ts` runs a documented command, and what shows that it did what its page says. */
export interface Way {
  /** It runs until it is interrupted, which is when its output matches and the other commands of its page have run. */
  until?: RegExp;
  /** Exit statuses that are right. Default: 0. */
  statuses?: readonly number[];
  /** Other answers than those of 200 to 299 that are right, with the reason. */
  answers?: { codes: readonly number[]; why: string };
  /** The program that it needs, which not every machine has. Without it, the command is not run. */
  needs?: string;
  /** A file that the command writes: its name, and a part of its content. */
  writes?: { name: RegExp; content: RegExp };
}

/** What `npm start` prints last. */
export const wholeGateway = /Ctrl-C stops everything/;
const worker = /"msg":"worker running"/;
/** curl ends by SIGINT, 128 + 2. */
const interrupted = [130];

/**
 * Commands that are run as they are: calls of the gateway, and variables that are set. All others are named in `ways` or
 * in `not-run.ts`, because a test should run no program that its author has not thought about.
 */
export const plain = /^(curl [^;|]+|[A-Z_]+=(\S+|"[^"]*"|'[^']*'))$/;

/** By the text of the command. */
export const ways: Readonly<Record<string, Way>> = {
  'ADMIN_TOKEN=$(cat .data/secrets/admin-token)': {},
  'cp .env.example .env': { writes: { name: /^\.env$/, content: /^SECRETS_KEY=/m } },
  'export TEMPORAL_DEPLOYMENT_NAME=webhook-gateway TEMPORAL_WORKER_BUILD_ID=0.3.0': {},
  'mkdir -p -m 700 restored/secrets && cp <copy of the key> restored/secrets/secrets-key': {},
  'npm run demo': {},
  'npm run migrate': {},
  'npm run promote': {},
  'npm run reseal -- --new-key': {},
  'DATABASE_URL=postgresql://… npm run restore -- <file>': {},
  'DATA_DIR=restored npm run restore -- <file>': {},
  'npm start': { until: wholeGateway },
  'DATA_DIR=restored npm start': { until: wholeGateway },
  'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 npm start': { until: wholeGateway },
  'OTEL_TRACES_EXPORTER=console npm start': { until: wholeGateway },
  'npm run worker': { until: worker },
  'WORKER_QUEUES=deliveries,notifications,maintenance npm run worker': { until: worker },
  "WORKER_QUEUES=backups BACKUP_URL='s3://bucket/prefix?region=eu-central-1' npm run worker": { until: worker },
  'curl -N "$GATEWAY/admin/events/stream?provider=generic" -H "$AUTH"': {
    until: /^event: ready$/m,
    statuses: interrupted,
  },
  'curl -X POST $GATEWAY/admin/events/bulk/$JOB_ID/stop -H "$AUTH"': {
    answers: { codes: [409], why: 'the job of the few events of the test may have ended' },
  },
  'curl $GATEWAY/admin/events/$EVENT_ID/payload -H "$AUTH" -OJ': {
    writes: { name: /^event-[0-9a-f-]{36}\.json$/, content: /prepared-1/ },
  },
  "sed -i 's#runbook_url: #&https://git.example.com/webhook-gateway/blob/main/#' rules.yml": {
    writes: { name: /^rules\.yml$/, content: /runbook_url: https:\/\/git\.example\.com\/\S+runbook\.md#gatewaydown$/m },
  },
  'npm run backup-sql -- <file> --output out.sql': { writes: { name: /^out\.sql$/, content: /^COPY .*accounts/im } },
  'npm run --silent backup-sql -- <file> | psql --set ON_ERROR_STOP=1 <URL>': { needs: 'psql' },
};
