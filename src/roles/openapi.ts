import { writeFile } from 'node:fs/promises';
import type { App } from '../api/app.ts';
import { composeApi } from '../api/compose-api.ts';
import { openApiDocument } from '../api/openapi/document.ts';
import { createKeyring } from '../secrets/keyring.ts';
import { createLog } from '../shared/log.ts';
import { version } from '../shared/version.ts';
import { unmeasured } from '../telemetry/metrics/metrics.ts';
import { openDatabase } from './open-database.ts';

/** Calls `work` with the app of the API, which neither connects to a database nor listens. */
export async function withApp<T>(work: (app: App) => T): Promise<T> {
  const log = createLog('silent');
  const database = await openDatabase({ url: 'postgresql://nowhere/none', log });
  const { app, close } = composeApi({
    database,
    keyring: createKeyring(new Uint8Array(32)),
    temporal: null,
    adminTokens: [],
    ownSettings: { role: 'api', settings: [] },
    trustedProxies: [],
    delivery: { timeLimitMs: 1, allowedNetworks: [], proxy: null, droppedHeaders: [] },
    mail: { from: '', sendgrid: null, outboxDir: null },
    baseUrl: () => '',
    publicUrl: null,
    maxPayloadBytes: 1,
    rejected: { bodyBytes: 0, accountDailyBytes: 0, dailyBytes: 0 },
    maxBodyBytesInFlight: 1,
    metrics: unmeasured,
    scrape: async () => new Uint8Array(),
    log,
  });
  const result = work(app);
  await close();
  await database.close();
  return result;
}

/** The OpenAPI document of the API, as JSON text. */
export const openApiText = () => withApp((app) => `${JSON.stringify(openApiDocument(app.routes, version), null, 2)}\n`);

if (import.meta.main) {
  const file = new URL('../../openapi.json', import.meta.url);
  await writeFile(file, await openApiText());
  console.log('written to openapi.json');
}
