import { type GatewayProcess, startGatewayProcess, temporaryFolder } from '../processes.ts';
import { type AdminCalls, adminCalls } from './admin-calls.ts';
import type { BothEnds } from './both-ends.ts';
import { Tally } from './counted.ts';
import type { Databases } from './databases.ts';

/** How the gateway of a stage is started. */
export interface GatewayOptions {
  /** The folder of its package.json; null for this checkout. */
  checkout: string | null;
  /** API_DELIVERS; null leaves it out, as for a checkout that does not know it. */
  apiDelivers: string | null;
  /** EVENT_WORKFLOWS; null leaves it out. */
  eventWorkflows: string | null;
  /** More variables. */
  environment?: Record<string, string>;
}

/** What a scenario needs: a gateway of its own with an empty or filled database, and both ends of the exchange. */
export interface Stage extends AdminCalls {
  ends: BothEnds;
  gateway: GatewayProcess;
  /** Below which `/metrics` of its processes is. */
  metricsUrls: readonly string[];
  tally: Tally;
  /** Runs one statement in the gateway's database. */
  query<Row extends object>(text: string): Promise<Row[]>;
  close(): Promise<void>;
}

export async function openStage(
  { ends, databases }: { ends: BothEnds; databases: Databases },
  options: GatewayOptions,
): Promise<Stage> {
  const folder = await temporaryFolder();
  const database = await databases.create();
  const { apiDelivers, eventWorkflows } = options;
  const environment = {
    DATA_DIR: folder.path,
    DATABASE_URL: database.url,
    ...(apiDelivers === null ? {} : { API_DELIVERS: apiDelivers }),
    ...(eventWorkflows === null ? {} : { EVENT_WORKFLOWS: eventWorkflows }),
    LOG_LEVEL: 'warn',
    ...options.environment,
  };
  const gateway = await startGatewayProcess('all', environment, options.checkout);
  return {
    ends,
    gateway,
    metricsUrls: [gateway.baseUrl],
    tally: new Tally(),
    query: database.query,
    ...adminCalls(gateway.baseUrl, ends.consumerUrl),
    async close() {
      await gateway.stop();
      await database.drop();
      await folder.remove();
    },
  };
}
