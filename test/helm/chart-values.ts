import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const chartFolder = fileURLToPath(new URL('../../deploy/helm/webhook-gateway', import.meta.url));
const valuesFolder = new URL('values/', import.meta.url);

/** The files of test/helm/values: together they use each option of the chart. */
export const valuesFiles: readonly { name: string; path: string }[] = readdirSync(valuesFolder)
  .sort()
  .map((file) => ({ name: file.replace(/\.yaml$/, ''), path: fileURLToPath(new URL(file, valuesFolder)) }));

/** What values change, each as options of `helm template` in addition to `minimal`, and what the template then contains. */
export const renderedValues: readonly { set: string; template: string; contains: string }[] = [
  { set: 'config.PGSSLMODE=verify-full', template: 'migration', contains: variable('PGSSLMODE', 'verify-full') },
  ...['{ReadWriteOnce},workers.default.replicas=2', '{ReadWriteOncePod},workers.default.replicas=1'].map((volume) => ({
    set: `backups.volume.enabled=true,backups.volume.accessModes=${volume}`,
    template: 'workers',
    contains: 'maxUnavailable: 1\n      maxSurge: 0\n',
  })),
  ...['api', 'workers'].map((template) => ({ set: 'listenAddress=::', template, contains: variable('HOST', '::') })),
  {
    set: 'metrics.podMonitor.enabled=true',
    template: 'monitoring',
    contains: '- targetLabel: gateway\n          replacement: default/hooks\n',
  },
  { set: 'backups.volume.enabled=true', template: 'workers', contains: 'maxUnavailable: 0\n      maxSurge: 1\n' },
];

function variable(name: string, value: string): string {
  return `- name: ${name}\n              value: "${value}"\n`;
}

/**
 * Mistakes in values, each as options of `helm template` in addition to `minimal`, and what the error says. Those of the
 * schema are also refused by test/helm/chart.test.ts.
 */
export const refusedValues: readonly { set: string; says: string; bySchema: boolean }[] = [
  { set: 'existingSecret=', says: '/existingSecret', bySchema: true },
  { set: 'temporal.address=temporal', says: '/temporal/address', bySchema: true },
  { set: 'api.replcas=3', says: "'replcas' not allowed", bySchema: true },
  { set: 'api.replicas=many', says: '/api/replicas', bySchema: true },
  { set: 'config.DATABASE_URL=postgresql://gateway', says: 'DATABASE_URL', bySchema: true },
  { set: 'config.FIRST_ATTEMPT=direct', says: 'FIRST_ATTEMPT', bySchema: true },
  { set: 'config.log_level=warn', says: 'log_level', bySchema: true },
  { set: 'terminationGracePeriodSeconds=30', says: '/terminationGracePeriodSeconds', bySchema: true },
  { set: 'listenAddress=127.0.0.1', says: '/listenAddress', bySchema: true },
  { set: 'metrics.port=8080', says: '/metrics/port', bySchema: true },
  { set: 'ingress.enabled=true', says: '/ingress/hosts', bySchema: true },
  { set: 'workers.default.queues={deliveries,mail}', says: '/workers/default', bySchema: true },
  { set: 'workers.default.autoscaling.type=memory', says: '/workers/default', bySchema: true },
  { set: 'workerDefaults.autoscaling.minReplicas=0', says: '/workerDefaults/autoscaling/minReplicas', bySchema: true },
  { set: 'backups.url=https://bucket', says: '/backups/url', bySchema: true },
  { set: 'workers.default=null', says: 'there is no group', bySchema: false },
  { set: 'workers.default.queues={deliveries}', says: 'no group serves notifications', bySchema: false },
  { set: 'workers.default.queues={backups}', says: 'set backups.url or backups.volume.enabled', bySchema: false },
  ...[
    'workers.default.replicas=2',
    'workers.default.autoscaling.type=cpu',
    'workers.default.replicas=1,workers.more.replicas=1',
  ].map((more) => ({
    set: `backups.volume.enabled=true,backups.volume.accessModes={ReadWriteOncePod},${more}`,
    says: 'one pod can mount the volume',
    bySchema: false,
  })),
];
