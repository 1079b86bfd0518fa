import { AccountDirectory } from './accounts/account-directory.ts';
import { AccountStore } from './accounts/account-store.ts';
import { createSecretBox } from './accounts/secret-box.ts';
import { checkSecretsKey } from './accounts/secrets-key-check.ts';
import { AuditLog } from './audit/audit-log.ts';
import { purgeAuditLogs } from './audit/purge.ts';
import { Sealer } from './audit/sealer.ts';
import { verifyAuditLogs } from './audit/verify.ts';
import type { Database } from './database/database.ts';
import { checkSchema } from './database/schema-check.ts';
import { createSender } from './delivery/send.ts';
import { testDelivery } from './delivery/test-delivery.ts';
import { DestinationStore } from './destinations/destination-store.ts';
import { createUpkeepClient } from './engine/upkeep/upkeep-client.ts';
import { createWorkflowFinder } from './engine/workflow-finder.ts';
import { resolveDuplicate } from './events/duplicates.ts';
import { EventReceiver } from './events/receive.ts';
import { RejectionRecorder } from './events/rejections.ts';
import { stopAccount } from './events/stop-account.ts';
import type { DeliverySettings, Running, TemporalAccess } from './gateway.ts';
import type { AdminToken } from './http/admin/auth.ts';
import { clientAddresses } from './http/admin/client-address.ts';
import { type App, createApp } from './http/app.ts';
import { BodyBudget } from './http/bodies/body-budget.ts';
import { BodyReader } from './http/bodies/body-reader.ts';
import { type HttpServer, serve } from './http/serve.ts';
import type { Log } from './log.ts';
import { createChannels } from './notifications/channels/channels.ts';
import { testDestination } from './notifications/channels/test-destination.ts';
import { type MailSettings, originOf } from './notifications/settings.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { providers, readProviderConfig } from './providers/registry.ts';

/** What the HTTP side is made of. */
export interface ApiParts {
  database: Database;
  secretsKey: Uint8Array;
  temporal: TemporalAccess | null;
  adminTokens: readonly AdminToken[];
  trustedProxies: readonly string[];
  delivery: Pick<DeliverySettings, 'timeLimitMs' | 'allowedNetworks'>;
  mail: MailSettings;
  /** How people reach the gateway, for links; without a slash at its end. */
  baseUrl: () => string;
  /** How providers reach it, as signatures over addresses have it; null: by the `Host` of their requests. */
  publicUrl: string | null;
  maxPayloadBytes: number;
  /** What all bodies together may hold while they are read and processed. */
  maxBodyBytesInFlight: number;
  log: Log;
}

/** Puts the HTTP side together. Connects to nothing yet; `close` lets go of what requests have opened. */
export function composeApi(parts: ApiParts): { app: App; bodies: BodyReader; close(): Promise<void> } {
  const { database, secretsKey, log } = parts;
  const { allowedNetworks, timeLimitMs } = parts.delivery;
  const box = createSecretBox(secretsKey);
  const em = () => database.orm.em.fork();
  const sender = createSender({ allowedNetworks });
  const send = createChannels({ sender, mail: parts.mail, timeLimitMs });
  const finder = parts.temporal ? createWorkflowFinder(parts.temporal) : null;
  const upkeep = parts.temporal ? createUpkeepClient(parts.temporal) : null;
  const bodies = new BodyReader({
    budget: new BodyBudget(parts.maxBodyBytesInFlight),
    clientAddress: clientAddresses(parts.trustedProxies),
  });
  const app = createApp({
    bodies,
    database,
    upkeep,
    accounts: new AccountStore({ em, box, stopDeliveries: stopAccount, providers }),
    destinations: new DestinationStore({ em, box }),
    audit: new AuditLog({ database, secretsKey, log }),
    adminTokens: parts.adminTokens,
    trustedProxies: parts.trustedProxies,
    testDelivery: (account) => testDelivery({ sender, box, timeLimitMs }, account),
    testDestination: (account, destination) =>
      testDestination({ send, baseUrl: parts.baseUrl() }, account, destination),
    verifyAuditLogs: oneAtATime((head) => verifyAuditLogs({ database, secretsKey }, head ? { head } : {})),
    purgeAuditLogs: (purge) => purgeAuditLogs({ database, secretsKey, log }, purge),
    findWorkflow: finder ? finder.find : async () => null,
    ingest: {
      directory: new AccountDirectory({ sql: database, box, readConfig: readProviderConfig }),
      receiver: new EventReceiver(database),
      rejections: new RejectionRecorder(database),
      duplicates: { resolve: (key) => resolveDuplicate(database, key) },
      providers,
      log,
    },
    maxPayloadBytes: parts.maxPayloadBytes,
    publicUrl: parts.publicUrl,
    baseUrl: parts.baseUrl,
    log,
  });
  return {
    app,
    bodies,
    async close() {
      await finder?.close();
      await upkeep?.close();
      await sender.close();
    },
  };
}

/** Starts the HTTP side: ingestion and the admin API. It never needs Temporal to take in a webhook or a command. */
export async function startApi(
  options: Omit<ApiParts, 'baseUrl'> & { host: string; port: number; maxConnections: number },
): Promise<Running & Pick<HttpServer, 'port'>> {
  const { database, secretsKey, log } = options;
  await checkSchema(database);
  await checkSecretsKey(database, createSecretBox(secretsKey));
  let { port } = options;
  const baseUrl = () => options.publicUrl ?? originOf({ host: options.host, port });
  const { app, bodies, close } = composeApi({ ...options, baseUrl });
  const server = await serve(app, { ...options, bodies }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  port = server.port;
  const sealer = new Sealer({ database, secretsKey, log });
  sealer.start();
  return {
    port,
    async stop() {
      await server.close();
      await close();
      await sealer.stop();
    },
  };
}
