import type { RejectedSettings } from '../../src/api/compose-api.ts';
import type { Setting } from '../../src/api/settings-routes.ts';
import type { BacklogLimit } from '../../src/engine/backlog-watch.ts';
import type { StuckLimits } from '../../src/engine/stuck-workflows.ts';
import type { EventWorkflows } from '../../src/events/event-workflows.ts';
import type { AdminToken } from '../../src/http/admin/auth.ts';
import type { TokenRole } from '../../src/http/admin/roles.ts';
import type { IncidentPace } from '../../src/incidents/judging/times.ts';
import type { MailSettings } from '../../src/notifications/settings.ts';
import type { NotificationParts } from '../../src/roles/compose-notifications.ts';
import type { Keyring } from '../../src/secrets/keyring.ts';
import type { Purpose } from '../../workflows/queues.ts';

/** Settings such as BACKUP_DIR. The folder is removed when the gateway stops. */
export interface TestMaintenance {
  backupDir?: string;
  backupKeep?: number;
  auditRetentionDays?: number;
  eventRetentionDays?: number;
  /** As WORKER_QUEUES. */
  queues?: readonly Purpose[];
}

export interface TestGatewayOptions {
  /** As API_DELIVERS. False: the workflows of events make all attempts, without a wait for an api. */
  apiDelivers?: boolean;
  /** As EVENT_WORKFLOWS. Default: the policy under which the tests run (`policy`). */
  eventWorkflows?: EventWorkflows;
  /** As EVENT_WORKFLOWS_BACKLOG. */
  eventWorkflowsBacklog?: BacklogLimit;
  /** As DELIVERY_SCHEDULE, of any length. Default: `quickDelaysMs`. */
  delaysMs?: number[];
  timeLimitMs?: number;
  accountConcurrency?: number;
  maxPayloadBytes?: number;
  /** As REJECTED_BODY_BYTES and the daily limits. */
  rejected?: Partial<RejectedSettings>;
  maxBodyBytesInFlight?: number;
  maxConnections?: number;
  allowedNetworks?: string[];
  /** As DELIVERY_PROXY and DELIVERY_NO_PROXY. */
  proxy?: { url: string; except: string[] };
  /** As DROPPED_HEADERS. */
  droppedHeaders?: string[];
  trustedProxies?: string[];
  /** Tokens besides `adminToken`, as in ADMIN_TOKENS: without a role `admin`. */
  adminTokens?: (Omit<AdminToken, 'role'> & { role?: TokenRole })[];
  /** The address to listen on. Default: 127.0.0.1. */
  host?: string;
  /** False starts the api without a worker, and without first attempts. */
  worker?: boolean;
  overdueS?: number;
  /** When a workflow counts as stuck. */
  stuckLimits?: StuckLimits;
  /** The settings of e-mail. By default there are none, and e-mail destinations fail. */
  mail?: MailSettings;
  /** As NOTIFY_BURST. */
  notifyBurst?: number;
  /** Delays between the five tries of a notification, the window of NOTIFY_BURST, and of messages about incidents. */
  notifications?: NonNullable<NotificationParts['times']>;
  /** How often failures are counted and judged, and the times of the rules. */
  incidents?: IncidentPace;
  /** What `GET /admin/settings` shows. By default nothing. */
  settings?: Setting[];
  /** Creates the maintenance schedules in Temporal. By default there are none. */
  maintenance?: TestMaintenance;
  /** True starts the api without TEMPORAL_ADDRESS. */
  apiWithoutTemporal?: boolean;
  /** The address of Temporal. Default: the server of the test run. */
  temporalAddress?: string;
  databaseUrl?: string;
  /** The secrets keys. Default: one new key. */
  keyring?: Keyring;
  /** A gateway whose key and task queue this one takes over, as after a restore. */
  inPlaceOf?: { keyring: Keyring; temporal: { taskQueue: string } };
}
