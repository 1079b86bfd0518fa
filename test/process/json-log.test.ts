import { expect, test } from 'vitest';
import { startedFolder, startWholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { kill } from '../support/kill.ts';
import { ownTemporal } from '../support/own-servers.ts';
import type { RunningRole } from '../support/running-role.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();

/** The lines of standard error that are no entry of the log. */
function otherLines(...roles: RunningRole[]): string[] {
  const lines = roles.flatMap((role) => role.stderr().split('\n'));
  return lines.filter((line) => line !== '' && !isEntry(line));
}

function isEntry(line: string): boolean {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null && 'level' in entry && 'msg' in entry;
  } catch {
    return false;
  }
}

/** All that the gateway, the SDK and its native part can say, and a warning of Node when a process gets SIGUSR2. */
const all = {
  LOG_LEVEL: 'trace',
  NODE_OPTIONS: `--import=data:text/javascript,process.on('SIGUSR2',()=>process.emitWarning('old'))`,
};

/** Waits until Node's warning is in the log, once more than before. */
async function warned(role: RunningRole & { pid: number }, pid: number | null = role.pid): Promise<void> {
  if (pid === null) throw new Error('there is no process to be warned');
  const warnings = () => role.stderr().split('"msg":"warning of Node"').length;
  const before = warnings();
  process.kill(pid, 'SIGUSR2');
  await until('the warning is in the log', () => warnings() > before);
}

test('npm start logs JSON only, from its start to its end', async () => {
  const gateway = await startWholeGateway(await startedFolder(), all);
  for (const name of ['api', 'worker'] as const) await warned(gateway, gateway.program(name));
  expect((await gateway.stop('SIGTERM')).code).toBe(0);
  expect(gateway.stderr()).toContain('"from":"temporal"');
  expect(otherLines(gateway)).toEqual([]);
  // The native part of the SDK would write its lines there.
  expect(gateway.stdout()).not.toMatch(/ (WARN|ERROR|INFO) |sdk_core/);
});

test('npm start logs JSON only when its Temporal dies', async () => {
  const gateway = await startWholeGateway(await startedFolder(), all);
  const temporal = gateway.server('temporal');
  kill(temporal);
  // This request uses the client of the api.
  await gateway.admin.request('GET', '/admin/upkeep');
  await until('Temporal is back', () => gateway.server('temporal') !== temporal, { retryErrors: true });
  kill(gateway.server('temporal'));
  expect((await gateway.stop('SIGTERM')).code).toBe(0);
  expect(otherLines(gateway)).toEqual([]);
});

test('api and worker log JSON only, also when Temporal is away at their end', async () => {
  const temporal = await ownTemporal();
  const roles = await migratedRoles({ ...all, TEMPORAL_ADDRESS: temporal.address });
  const [api, worker, other] = await Promise.all([roles.startApi(), roles.startWorker(), roles.startWorker()]);
  await Promise.all([warned(api), warned(worker)]);
  expect((await other.stop('SIGTERM')).code).toBe(0);
  await api.admin.request('GET', '/admin/upkeep');
  await temporal.stop();
  await api.admin.request('GET', '/admin/upkeep');
  expect((await worker.stop('SIGTERM')).code).toBe(0);
  expect((await api.stop('SIGTERM')).code).toBe(0);
  expect(worker.stderr()).toContain('"from":"temporal"');
  expect([worker.stdout(), api.stdout()]).toEqual(['', '']);
  expect(otherLines(api, worker, other)).toEqual([]);
});
