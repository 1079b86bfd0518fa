import { AccountDirectory } from '../accounts/account-directory.ts';
import { AccountMasks } from '../accounts/account-mask.ts';
import { AccountStore } from '../accounts/account-store.ts';
import { SecretUses } from '../accounts/secret-uses.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { DeniedCalls } from '../audit/denied/denied-calls.ts';
import { purgeAuditLogs } from '../audit/purge.ts';
import { RepeatedReads } from '../audit/repeated-reads.ts';
import { verifyAuditLogs } from '../audit/verify.ts';
import { ConsumerStore } from '../consumers/consumer-store.ts';
import { settingsOfDefault } from '../consumers/settings-of-default.ts';
import type { Database } from '../database/database.ts';
import { judgeUrls } from '../delivery/connections/judge-urls.ts';
import type { ProxySettings } from '../delivery/connections/proxy.ts';
import { ConsumerSender } from '../delivery/consumer-sender.ts';
import { createSender } from '../delivery/send.ts';
import { testDelivery } from '../delivery/test-delivery.ts';
import { createWorkflowFinder } from '../engine/workflow-finder.ts';
import { resolveDuplicate } from '../events/duplicates.ts';
import { EventReceiver } from '../events/event-receiver.ts';
import { Feed } from '../events/feed/feed.ts';
import { FeedReaders } from '../events/feed/feed-readers.ts';
import type { HandOver } from '../events/hand-over.ts';
import type { RejectionLimits } from '../events/rejection-limits.ts';
import { RejectionRecorder } from '../events/rejections.ts';
import { ChangeFeed } from '../events/stream/change-feed.ts';
import { stopEventsOf } from '../events/transitions/account-deleted.ts';
import { wakeRelays } from '../events/wake.ts';
import type { AdminToken } from '../http/admin/auth.ts';
import { clientAddresses } from '../http/admin/client-address.ts';
import { SlowAnswers } from '../http/admin/slow-answers.ts';
import { BodyBudget } from '../http/bodies/body-budget.ts';
import { BodyReader } from '../http/bodies/body-reader.ts';
import { stoppingProblem } from '../http/stopping.ts';
import { RejectionCounts } from '../incidents/counting/rejection-counts.ts';
import { readChangedIncidents } from '../incidents/incident-stream.ts';
import { createIncidentJudge } from '../incidents/judging/judge.ts';
import type { IncidentPace } from '../incidents/judging/times.ts';
import { exceededConditionWarnings } from '../ingest/exceeded-conditions.ts';
import { unreadableSecretWarnings } from '../ingest/unreadable-secrets.ts';
import { createMaintenanceClient } from '../maintenance/schedules/maintenance-client.ts';
import { createChannels } from '../notifications/channels/channels.ts';
import { testDestination } from '../notifications/channels/test-destination.ts';
import { DestinationStore } from '../notifications/destinations/destination-store.ts';
import { createPlaces } from '../notifications/incident-messages/place.ts';
import { tellIncidents } from '../notifications/incident-messages/tell-incidents.ts';
import type { MailSettings } from '../notifications/settings.ts';
import { providers, readProviderConfig, secretConfigValues } from '../providers/registry.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Log } from '../shared/log.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import type { TemporalAccess } from '../temporal/connection.ts';
import { createEngineProbe } from '../temporal/engine-probe.ts';
import { KnownTokens } from '../tokens/known-tokens.ts';
import { createApp } from './app.ts';
import type { OwnSettings } from './settings-routes.ts';

/** The limits for storing webhooks that fail verification. */
export interface RejectedSettings extends RejectionLimits {
  /** Bytes of each body that are stored. */
  bodyBytes: number;
}

/** The settings and dependencies of the HTTP side. */
export interface ApiParts {
  database: Database;
  keyring: Keyring;
  temporal: TemporalAccess | null;
  adminTokens: readonly AdminToken[];
  /** For `GET /admin/settings`. */
  ownSettings: OwnSettings;
  trustedProxies: readonly string[];
  /** For test deliveries: the time limit in ms, and the allowed CIDRs that are not public. */
  delivery: { timeLimitMs: number; allowedNetworks: string[]; proxy: ProxySettings | null; droppedHeaders: string[] };
  mail: MailSettings;
  /** The gateway's public URL for links, without a trailing slash. */
  baseUrl: () => string;
  /** The URL at which providers reach it, for signatures over URLs; null: derived from the `Host` of their requests. */
  publicUrl: string | null;
  maxPayloadBytes: number;
  rejected: RejectedSettings;
  /** The most bytes of all bodies that are being read or processed. */
  maxBodyBytesInFlight: number;
  metrics: Metrics;
  /** Gives the answer of `/metrics`; null when it is on another port. */
  scrape: (() => Promise<Uint8Array>) | null;
  /** The relay of this process, if it has one; see `EventReceiver`. */
  handOver?: () => HandOver | null;
  incidentPace?: IncidentPace | undefined;
  log: Log;
}

/**
 * Composes the HTTP side without connecting to anything. Call `drain` first of all at a stop: the readiness check then
 * fails. Call `stopping` before the server closes: it ends delayed responses and streams. Call `close` afterwards: it
 * closes the connections that requests have opened.
 */
export function composeApi(parts: ApiParts) {
  const { database, keyring, log } = parts;
  const { allowedNetworks, proxy, timeLimitMs, droppedHeaders } = parts.delivery;
  const box = createSecretBox(keyring);
  const em = () => database.orm.em.fork();
  const sender = createSender({ allowedNetworks, proxy });
  const consumerSender = new ConsumerSender(sender);
  const masks = new AccountMasks({ box, secretValues: secretConfigValues });
  const send = createChannels({ sender, mail: parts.mail, timeLimitMs });
  const finder = parts.temporal ? createWorkflowFinder(parts.temporal) : null;
  const maintenance = parts.temporal ? createMaintenanceClient(parts.temporal) : null;
  const probe = parts.temporal ? createEngineProbe(parts.temporal) : null;
  const slowAnswers = new SlowAnswers();
  const changes = new ChangeFeed({ database, log, readIncidents: readChangedIncidents });
  const draining = new AbortController();
  const feed = new Feed({ database, log, draining: draining.signal });
  const secretUses = new SecretUses({ sql: database, log });
  const { incidentPace } = parts;
  const tell = tellIncidents(createPlaces({ keyring, box }));
  const rejectionCounts = new RejectionCounts({ sql: database, log, flushMs: incidentPace?.flushMs });
  const judge = createIncidentJudge({ database, tell, log, pace: incidentPace });
  const audit = new AuditLog({ database, keyring, log });
  const denied = new DeniedCalls({ database, audit, log });
  const reads = new RepeatedReads({ sql: database, audit, log });
  const feedReaders = new FeedReaders({ sql: database, audit, log });
  const tokens = new KnownTokens({ configured: parts.adminTokens, sql: database, log });
  const bodies = new BodyReader({
    budget: new BodyBudget(parts.maxBodyBytesInFlight),
    clientAddress: clientAddresses(parts.trustedProxies),
  });
  const app = createApp({
    bodies,
    database,
    slowAnswers,
    changes,
    feed,
    feedReaders,
    droppedHeaders,
    draining: draining.signal,
    maintenance,
    accounts: new AccountStore({ em, box, stopDeliveries: stopEventsOf, settingsOfDefault, providers }),
    consumers: new ConsumerStore({ em, box, stopDeliveries: stopEventsOf, wake: wakeRelays }),
    destinations: new DestinationStore({ em, box }),
    tellIncidents: tell,
    audit,
    denied,
    reads,
    addresses: judgeUrls(allowedNetworks),
    tokens,
    ownSettings: parts.ownSettings,
    engineState: probe ? probe.ask : null,
    trustedProxies: parts.trustedProxies,
    testDelivery: (account, consumer) => testDelivery({ consumerSender, box, masks, timeLimitMs }, account, consumer),
    testDestination: (account, destination) =>
      testDestination({ send, baseUrl: parts.baseUrl() }, account, destination),
    verifyAuditLogs: (call, head) => verifyAuditLogs({ database, keyring }, { ...call, head }),
    purgeAuditLogs: (call, purge) => purgeAuditLogs({ database, keyring, log, ...call }, purge),
    findWorkflow: finder ? finder.find : async () => null,
    ingest: {
      directory: new AccountDirectory({
        sql: database,
        strangers: database.strangers,
        box,
        readConfig: readProviderConfig,
      }),
      receiver: new EventReceiver(database, parts.handOver, parts.metrics),
      rejections: new RejectionRecorder({ database, limits: parts.rejected, log }),
      rejectedBodyBytes: parts.rejected.bodyBytes,
      duplicates: { resolve: (key) => resolveDuplicate(database, key) },
      providers,
      secretUses,
      rejectionCounts,
      unreadableSecret: unreadableSecretWarnings(log),
      conditionExceeded: exceededConditionWarnings(log),
      metrics: parts.metrics,
      log,
    },
    maxPayloadBytes: parts.maxPayloadBytes,
    rejectionLimits: parts.rejected,
    publicUrl: parts.publicUrl,
    baseUrl: parts.baseUrl,
    scrape: parts.scrape,
    log,
  });
  return {
    app,
    bodies,
    // To be started and stopped with the server.
    ...{ tokens, secretUses, denied, reads, feedReaders, rejectionCounts, judge },
    /** Aborted by `drain`. */
    draining: draining.signal,
    drain: () => draining.abort(stoppingProblem()),
    stopping() {
      slowAnswers.close();
      changes.close();
    },
    async close() {
      changes.close();
      await changes.closed();
      await feed.closed();
      await finder?.close();
      await maintenance?.close();
      await probe?.close();
      await sender.close();
    },
  };
}
