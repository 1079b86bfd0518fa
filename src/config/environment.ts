import { z } from 'zod';
import { s3AddressMistake } from '../backups/s3-address.ts';
import { databaseUrlMistake } from '../database/connection-options.ts';
import { deliveryProxyMistake, noProxyMistake } from '../delivery/connections/proxy.ts';
import { droppedHeaderMistake } from '../delivery/dropped-headers.ts';
import { eventWorkflows } from '../events/event-workflows.ts';
import { adminToken, adminTokens } from '../http/admin/token-settings.ts';
import { proxyMistake } from '../http/trusted-proxies.ts';
import { secretsKey } from '../secrets/key-setting.ts';
import {
  checkedList,
  checkedText,
  cidrList,
  durationBetween,
  headerText,
  integerBetween,
  origin,
  publicUrl,
} from '../shared/setting-types.ts';
import { tracingVariables } from '../telemetry/tracing/settings.ts';
import { temporalAddress } from '../temporal/connection-settings.ts';
import * as values from './setting-values.ts';
import type { Variable } from './variable.ts';
import { describedVariables } from './variables.ts';

/** All variables of the gateway, with their limits and defaults. */
export const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: integerBetween(0, 65535).prefault('8080'),
  METRICS_PORT: integerBetween(0, 65535).optional(),
  PUBLIC_URL: publicUrl.optional(),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: checkedText(databaseUrlMistake).optional(),
  PGSSLMODE: z.string().optional(),
  TEMPORAL_ADDRESS: temporalAddress.optional(),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_TASK_QUEUE: z.string().default('webhook-deliveries'),
  WORKER_QUEUES: values.workerQueues.optional(),
  TEMPORAL_DEPLOYMENT_NAME: values.deploymentName.optional(),
  TEMPORAL_WORKER_BUILD_ID: values.buildId.optional(),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: z.stringbool().optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: z.string().optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_CLIENT_CERT_DATA: z.string().optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().optional(),
  TEMPORAL_TLS_CLIENT_KEY_DATA: z.string().optional(),
  TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: values.hostVerification.optional(),
  TEMPORAL_PROFILE: z.string().optional(),
  TEMPORAL_CONFIG_FILE: z.string().optional(),
  TEMPORAL_UI_PORT: integerBetween(1, 65535).prefault('8233'),
  TEMPORAL_RETENTION_HOURS: integerBetween(1, 87_600).prefault('72'),
  TEMPORAL_UI_URL: origin.optional(),
  ADMIN_TOKEN: adminToken.optional(),
  ADMIN_TOKENS: adminTokens.optional(),
  TRUSTED_PROXIES: checkedList(proxyMistake).optional(),
  SECRETS_KEY: secretsKey.optional(),
  SECRETS_KEY_PREVIOUS: secretsKey.optional(),
  MAX_PAYLOAD_BYTES: integerBetween(1, 100 * 1024 * 1024).prefault(String(1024 * 1024)),
  REJECTED_BODY_BYTES: integerBetween(0, 100 * 1024 * 1024).prefault(String(16 * 1024)),
  REJECTED_ACCOUNT_DAILY_BYTES: integerBetween(0, 2 ** 50).prefault(String(32 * 1024 * 1024)),
  REJECTED_DAILY_BYTES: integerBetween(0, 2 ** 50).prefault(String(256 * 1024 * 1024)),
  MAX_BODY_BYTES_IN_FLIGHT: integerBetween(1024 * 1024, 64 * 1024 * 1024 * 1024).optional(),
  MAX_CONNECTIONS: integerBetween(1, 100_000).prefault('2000'),
  SHUTDOWN_DRAIN: durationBetween('0s', '30s').optional(),
  DELIVERY_SCHEDULE: values.deliverySchedule.prefault(values.defaultSchedule),
  DELIVERY_TIMEOUT: durationBetween('100ms', '2m').prefault('15s'),
  DELIVERY_ALLOWED_NETWORKS: cidrList.optional(),
  DELIVERY_PROXY: checkedText(deliveryProxyMistake).optional(),
  DELIVERY_NO_PROXY: checkedList(noProxyMistake).optional(),
  DROPPED_HEADERS: checkedList(droppedHeaderMistake).optional(),
  ACCOUNT_CONCURRENCY: integerBetween(1, 10_000).prefault('64'),
  API_DELIVERS: z.stringbool().default(true),
  EVENT_WORKFLOWS: z.enum(eventWorkflows).default('always'),
  EVENT_WORKFLOWS_BACKLOG: values.workflowsBacklog.prefault('10000,5m'),
  MAIL_FROM_EMAIL: z.email().default('webhook-gateway@localhost.localdomain'),
  SENDGRID_API_KEY: headerText.optional(),
  SENDGRID_BASE_URL: origin
    .refine(
      (text) => URL.parse(text)?.href === `${URL.parse(text)?.origin}/`,
      'must be an origin, such as https://api.sendgrid.com, without a path',
    )
    .prefault('https://api.sendgrid.com'),
  NOTIFY_BURST: integerBetween(1, 1000).optional(),
  BACKUP_DIR: z.string().optional(),
  BACKUP_URL: checkedText(s3AddressMistake).optional(),
  // The client of the bucket reads them itself.
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  BACKUP_KEEP: integerBetween(1, 10_000).prefault('14'),
  BACKUP_ENCRYPT: z.stringbool().default(true),
  AUDIT_RETENTION_DAYS: integerBetween(7, 36_500).prefault('90'),
  EVENT_RETENTION_DAYS: integerBetween(1, 36_500).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
  ...tracingVariables,
});

export type VariableName = keyof typeof environment.shape;

/** What is said about each variable. A variable of `environment` that is not described is a type error here. */
export const variables: Readonly<Record<VariableName, Variable>> = describedVariables;

/** The default of a variable as text; null if it has none, or one that depends on the role. */
export function defaultOf(name: VariableName): string | null {
  const { def } = environment.shape[name];
  return 'defaultValue' in def ? String(def.defaultValue) : null;
}
