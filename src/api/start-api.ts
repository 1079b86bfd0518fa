import { setTimeout as sleep } from 'node:timers/promises';
import { warnOfConfigs } from '../accounts/warn-of-configs.ts';
import { Sealer } from '../audit/sealer.ts';
import { checkSchema } from '../database/schema-check.ts';
import { type HttpServer, serve } from '../http/serve.ts';
import { createGatewayWatch, type ReadConditions } from '../incidents/gateway-watch.ts';
import { originOf } from '../notifications/settings.ts';
import { providers } from '../providers/registry.ts';
import { registerKeyring } from '../secrets/known-keys.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Running } from '../shared/running.ts';
import { type ApiParts, composeApi } from './compose-api.ts';

/** An api that serves until it is stopped. */
export interface RunningApi extends Running, Pick<HttpServer, 'port'> {
  /** Begins the drain time of a stop: the readiness check fails. Resolves at its end; `stop` waits for it, too. */
  drain(): Promise<void>;
  /** Judges incidents at once. */
  judgeIncidents(): void;
}

/** Starts the HTTP side: ingestion and the admin API. Webhooks and commands on events do not need Temporal. */
export async function startApi(
  options: Omit<ApiParts, 'baseUrl'> & {
    host: string;
    port: number;
    maxConnections: number;
    /** How long a stop still accepts connections after the readiness check fails, in ms; 0 by default. */
    drainMs?: number;
    /** What is wrong with the gateway itself; without it, these conditions are not checked. */
    gatewayConditions?: ReadConditions;
  },
): Promise<RunningApi> {
  const { database, keyring, log } = options;
  await checkSchema(database);
  await registerKeyring(database, keyring);
  await warnOfConfigs({ sql: database, box: createSecretBox(keyring), providers, log });
  let { port } = options;
  const baseUrl = () => options.publicUrl ?? originOf({ host: options.host, port });
  const composed = composeApi({ ...options, baseUrl });
  const { app, bodies, tokens, secretUses, denied, reads, feedReaders, rejectionCounts, judge } = composed;
  const { draining, drain, stopping, close } = composed;
  const open = async () => {
    // Before the port opens: a stored token is valid from the first request on.
    await tokens.start();
    return serve(app, { ...options, bodies, draining });
  };
  const server = await open().catch(async (error: unknown) => {
    await tokens.stop();
    await close();
    throw error;
  });
  port = server.port;
  const sealer = new Sealer({ database, keyring, log });
  sealer.start();
  secretUses.start();
  denied.start();
  reads.start();
  feedReaders.start();
  rejectionCounts.start();
  judge.start();
  const watch = options.gatewayConditions
    ? createGatewayWatch({
        ...{ sql: database, conditions: options.gatewayConditions, watchMs: options.incidentPace?.watchMs, log },
        onOpening: () => judge.wake(),
      })
    : null;
  watch?.start();
  let drained: Promise<void> | null = null;
  const drainOnce = () => {
    drain();
    // A balancer needs this time to notice. Until then, it sends requests that must be answered.
    drained ??= sleep(options.drainMs ?? 0);
    return drained;
  };
  return {
    port,
    drain: drainOnce,
    judgeIncidents: () => judge.wake(),
    async stop() {
      await drainOnce();
      stopping();
      await server.close();
      await tokens.stop();
      await secretUses.stop();
      await denied.stop();
      await reads.stop();
      await feedReaders.stop();
      await rejectionCounts.stop();
      await Promise.all([watch?.stop(), judge.stop()]);
      await close();
      await sealer.stop();
    },
  };
}
