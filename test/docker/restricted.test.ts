import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { metricsOf } from '../process/metrics/exposition.ts';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { allDelivered, migratedRoles } from '../support/gateway-roles.ts';
import { askMaintenance, backupEnded, scheduled } from '../support/maintenance.ts';
import { imageUser, volumes, within } from '../support/may-skip/container.ts';
import { lacks } from '../support/may-skip/list.ts';
import { until } from '../support/until.ts';
import { readProjectFile } from './files.ts';

gatewaysEndWithTheirTest();

const dockerfile = readProjectFile('Dockerfile');
/** The environment that the image sets: ENV in the Dockerfile. */
const imageEnvironment = Object.fromEntries(
  [...(/^ENV (.+)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);

/** Runs the health check of the image. */
function healthCheck(environment: Record<string, string>): number | null {
  const line = /^ {2}CMD (\["node", "-e", .*\])$/m.exec(dockerfile)?.[1] ?? '[]';
  const [, ...args]: string[] = JSON.parse(line);
  return spawnSync(process.execPath, args, { env: environment, timeout: 30_000 }).status;
}

describe.skipIf(lacks('container'))('as restricted as in a container', () => {
  test('api and worker deliver, the worker makes a backup, and the health check sees both', {
    timeout: 240_000,
  }, async () => {
    const volume = mkdtempSync(join(volumes, 'gateway-restricted-'));
    onTestFinished(() => rmSync(volume, { recursive: true, force: true }));
    chownSync(volume, imageUser, imageUser);
    const isolated = { ...imageEnvironment, HOST: '127.0.0.1', HOME: '/nonexistent', NODE_COMPILE_CACHE: '' };
    const roles = await migratedRoles({ BACKUP_DIR: volume });
    const [api, worker] = await Promise.all([
      roles.startApi(isolated, within(volume)),
      roles.startWorker(isolated, within(volume)),
    ]);
    for (const { pid } of [api, worker]) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
        expect(status).toMatch(new RegExp(`^${set}:\t0+$`, 'm'));
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      expect(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')).toMatch(/ \/ \/ ro,/);
    }
    // No process ever listens on port 1. A port that is merely free now could be given to another test.
    const closed = '1';
    expect(healthCheck({ PORT: new URL(api.baseUrl).port })).toBe(0);
    expect(healthCheck({ PORT: closed, METRICS_PORT: new URL(await metricsOf(worker)).port })).toBe(0);
    expect(healthCheck({ PORT: closed, METRICS_PORT: closed })).toBe(1);

    const { account } = await accountForTest(api.admin);
    expect((await send(api.baseUrl, account, '{"id":"one"}')).status).toBe(202);
    await allDelivered(roles, 1);
    await scheduled(api, 'backup');
    const { body } = await askMaintenance(api, 'POST', '/admin/backups/trigger');
    const backup = await until('the backup has ended', () => backupEnded(api, body.id).catch(() => null));
    expect(backup).toMatchObject({ status: 'completed', error: null });
    expect(readdirSync(volume)).toEqual([backup.name]);
    // What the worker has written into its /tmp fits into that of the compose file, 64 MiB.
    const used = statfsSync(`/proc/${worker.pid}/root/tmp`);
    expect((used.blocks - used.bfree) * used.bsize).toBeLessThan(32 * 1024 * 1024);
  });
});
