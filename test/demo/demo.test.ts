import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { migratedDatabase } from '../support/database.ts';
import { startGateway } from '../support/gateway.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Program {
  process: ChildProcess;
  output(): string;
  /** Resolves with the first match in its output. Rejects if it ends without a match. */
  says(pattern: RegExp): Promise<string[]>;
  ended: Promise<number | null>;
}

/** Runs a program of the project with only these variables. An empty value stops an .env file from setting one. */
function run(args: string[], env: Record<string, string>): Program {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH, HOME, NODE_COMPILE_CACHE: inject('compileCache'), ADMIN_TOKEN: '', ...env },
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    process: child,
    output: () => output,
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match) resolve([...match]);
        };
        child.stdout.on('data', look);
        ended.then(() => reject(new Error(`it ended without saying ${pattern}:\n${output}`)));
        look();
      }),
  };
}

async function demo(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const program = run(['test/demo/main.ts'], env);
  return { code: await program.ended, output: program.output() };
}

describe('with a gateway in a separate process', () => {
  let dataDir: string;
  let gateway: Program;
  let gatewayUrl: string;
  let admin: ReturnType<typeof adminClient>;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'gateway-demo-'));
    gateway = run(['src/main.ts', 'all'], {
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: await migratedDatabase(),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_UI_URL: inject('temporalUiUrl'),
      TEMPORAL_TASK_QUEUE: `demo-${randomBytes(4).toString('hex')}`,
      // Long enough to see each attempt before the next one, and to interrupt the demo before it ends.
      DELIVERY_SCHEDULE: '40s,30s,1s,1s,1s,1s,1s,1s,1s',
    });
    gatewayUrl = (await gateway.says(/Gateway +(http:\S+)/))[1] ?? '';
    const token = (await gateway.says(/Admin token +(\S+)/))[1] ?? '';
    await gateway.says(/Ctrl-C stops everything/);
    admin = adminClient(gatewayUrl, token);
  });
  afterAll(async () => {
    gateway.process.kill('SIGTERM');
    await gateway.ended;
    await rm(dataDir, { recursive: true, force: true });
  });

  test('five events are delivered, one of them by its third attempt, and the accounts are deleted', async () => {
    const { code, output } = await demo({ GATEWAY_URL: gatewayUrl, DATA_DIR: dataDir });
    expect(output).toContain('5 events delivered in 7 attempts');
    expect(code).toBe(0);
    const attempts = output.split('\n').filter((line) => /attempt \d/.test(line));
    expect(attempts.slice(0, 4).every((line) => /attempt 1 +200 OK .* delivered$/.test(line))).toBe(true);
    expect(attempts[4]).toMatch(/attempt 1 +500 Internal Server Error .* next in [\d.]+ m?s$/);
    expect(attempts[5]).toMatch(/attempt 2 +503 Service Unavailable .* next in [\d.]+ m?s$/);
    expect(attempts[6]).toMatch(/attempt 3 +200 OK .* delivered$/);
    expect(attempts).toHaveLength(7);
    for (const type of ['build.finished', 'order.created', 'chat.message', 'chat.email_set'])
      expect(output).toContain(`: ${type}\n`);
    const links = output.match(new RegExp(`${inject('temporalUiUrl')}/namespaces/default/workflows/event-\\S+`, 'g'));
    expect(links).toHaveLength(5);
    expect((await fetch(links?.[0] ?? '')).status).toBe(200);
    const wide = output.split('\n').filter((line) => line.length > 80 && !line.includes('/workflows/'));
    expect(wide).toEqual([]);
    expect((await admin.request('GET', '/admin/accounts')).body).toEqual([]);
  });

  test('Ctrl-C deletes the accounts and ends with 130', async () => {
    const program = run(['test/demo/main.ts'], { GATEWAY_URL: gatewayUrl, DATA_DIR: dataDir });
    await program.says(/attempt 1 +500/);
    expect((await admin.request('GET', '/admin/accounts')).body).toHaveLength(2);
    program.process.kill('SIGINT');
    expect(await program.ended).toBe(130);
    expect(program.output()).toContain('Interrupted');
    expect((await admin.request('GET', '/admin/accounts')).body).toEqual([]);
  });

  test('a wrong token is reported', async () => {
    const { code, output } = await demo({ GATEWAY_URL: gatewayUrl, ADMIN_TOKEN: 'not-the-token' });
    expect(output).toContain('refused the admin token of ADMIN_TOKEN');
    expect(output).not.toContain('    at ');
    expect(code).toBe(1);
  });

  test('a missing token is reported, with the place where it was expected', async () => {
    const { code, output } = await demo({ GATEWAY_URL: gatewayUrl, DATA_DIR: '/nowhere' });
    expect(output).toContain('There is no admin token: ADMIN_TOKEN is not set, and /nowhere/secrets/admin-token');
    expect(code).toBe(1);
  });
});

test('a missing gateway is reported', async () => {
  // No process listens on the discard port.
  const { code, output } = await demo({ GATEWAY_URL: 'http://127.0.0.1:9', ADMIN_TOKEN: 'any-token' });
  expect(output.trim().split('\n')).toEqual([
    'No gateway answers at http://127.0.0.1:9.',
    'Start one in another terminal with npm start, or set GATEWAY_URL to where it runs.',
  ]);
  expect(code).toBe(1);
});

test('a server that is not a gateway is reported', async () => {
  const { code, output } = await demo({ GATEWAY_URL: inject('temporalUiUrl'), ADMIN_TOKEN: 'any-token' });
  expect(output).toContain(`The server at ${inject('temporalUiUrl')} is not a webhook gateway.`);
  expect(code).toBe(1);
});

test('if the gateway cannot reach the consumer, the demo reports reason and remedy, and cleans up', async () => {
  const gateway = await startGateway({ allowedNetworks: [] });
  const { code, output } = await demo({ GATEWAY_URL: gateway.baseUrl, ADMIN_TOKEN: gateway.adminToken });
  expect(output).toMatch(/does not reach the consumer of this demo at http:\/\/127\.0\.0\.1:\d+\/hook\./);
  expect(output).toContain('DELIVERY_ALLOWED_NETWORKS=127.0.0.0/8');
  expect(code).toBe(1);
  expect((await gateway.admin.request('GET', '/admin/accounts')).body).toEqual([]);
  await gateway.stop();
});

test('without a worker the demo ends with an error after a while', async () => {
  const gateway = await startGateway({ worker: false });
  const { code, output } = await demo({ GATEWAY_URL: gateway.baseUrl, ADMIN_TOKEN: gateway.adminToken });
  expect(output).toContain('no attempt was made');
  expect(code).toBe(1);
  await gateway.stop();
});
