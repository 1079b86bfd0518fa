import { join } from 'node:path';
import { type Ground, ownFolder, type Servers } from '../faults/ground.ts';
import { openPostgres } from '../faults/postgres.ts';
import { type ClusterTemplate, makeClusterTemplate } from './template.ts';
import { temporalPrograms } from './temporal-server/program.ts';
import { openTemporalServer } from './temporal-server/server.ts';

/** What all clusters of a run share. */
export interface ClusterGround extends Ground {
  template: ClusterTemplate;
  openServers(
    options: Parameters<Ground['openServers']>[0] & { postgresSettings?: Record<string, string> | undefined },
  ): Promise<Servers>;
}

/** The servers of a cluster, in a folder that is removed when this process ends. */
export async function prepareClusterGround(): Promise<ClusterGround> {
  const programs = await temporalPrograms();
  const { folder, remove } = ownFolder('gateway-cluster-');
  process.on('exit', remove);
  const template = await makeClusterTemplate(join(folder, 'template'), programs);
  return {
    template,
    balanced: true,
    compileCache: join(folder, 'compile-cache'),
    async openServers({ folder: own, logs, onSmallDisk, postgresSettings }) {
      const kind = onSmallDisk ? template.small : template;
      const postgres = await openPostgres({
        ...{ folder: own, template: { ...kind, settings: { ...kind.settings, ...postgresSettings } }, onSmallDisk },
        logPath: join(logs, 'postgres.log'),
      });
      const temporal = await openTemporalServer({
        ...{ folder: own, logPath: join(logs, 'temporal.log'), program: programs.server },
        postgres: { ...template.temporal, port: postgres.port },
      });
      return { postgres, temporal };
    },
  };
}
