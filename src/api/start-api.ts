import { setTimeout as sleep } from 'node:timers/promises';
import { sealStoredUrls } from '../accounts/seal-stored-urls.ts';
import { warnOfConfigs } from '../accounts/warn-of-configs.ts';
import { Sealer } from '../audit/sealer.ts';
import { checkSchema } from '../database/schema-check.ts';
import { type HttpServer, serve } from '../http/serve.ts';
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
}

/** Starts the HTTP side: ingestion and the admin API. Webhooks and commands on events do not need Temporal. */
export async function startApi(
  options: Omit<ApiParts, 'baseUrl'> & {
    host: string;
    port: number;
    maxConnections: number;
    /** How long a stop still accepts connections after the readiness check fails, in ms; 0 by default. */
    drainMs?: number;
  },
): Promise<RunningApi> {
  const { database, keyring, log } = options;
  await checkSchema(database);
  await registerKeyring(database, keyring);
  const box = createSecretBox(keyring);
  await sealStoredUrls(database, box);
  await warnOfConfigs({ sql: database, box, providers, log });
  let { port } = options;
  const baseUrl = () => options.publicUrl ?? originOf({ host: options.host, port });
  const { app, bodies, secretUses, denied, draining, drain, stopping, close } = composeApi({ ...options, baseUrl });
  const server = await serve(app, { ...options, bodies, draining }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  port = server.port;
  const sealer = new Sealer({ database, keyring, log });
  sealer.start();
  secretUses.start();
  denied.start();
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
    async stop() {
      await drainOnce();
      stopping();
      await server.close();
      await secretUses.stop();
      await denied.stop();
      await close();
      await sealer.stop();
    },
  };
}
