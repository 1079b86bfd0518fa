import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Balancer } from '../cluster/balancer.ts';
import { freePorts } from '../cluster/free-ports.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { nothingByHand } from './by-hand.ts';
import { accounts, Consumer, others } from './consumer.ts';
import type { Ground } from './ground.ts';
import { type ProcessName, type RoleName, roleNames, type ServerName, serverNames, type Way } from './plan.ts';
import { destinations, Receiver } from './receiver.ts';
import { Role } from './role.ts';
import { deliverySchedule, deliveryTimeoutMs } from './settings.ts';
import { untilUp } from './until-up.ts';

export const signingSecret = 'faults-signing-secret';

export async function openStage(options: {
  seed: number;
  folder: string;
  ground: Ground;
  onSmallDisk: boolean;
  /** Whether apis make first attempts. Otherwise, the workflows of events make all. */
  apiDelivers: boolean;
  /** See `Consumer`. */
  failsEvery?: number;
}) {
  const { folder, ground, seed } = options;
  const logs = join(folder, 'logs');
  mkdirSync(logs, { mode: 0o755 });
  const { postgres, temporal } = await ground.openServers({ folder, logs, onSmallDisk: options.onSmallDisk });
  // Temporal may keep its workflows in this PostgreSQL.
  await postgres.start();
  await temporal.start();
  const consumer = new Consumer(seed, options.failsEvery);
  const receiver = new Receiver();
  await Promise.all([consumer.listen(), receiver.listen()]);

  const adminToken = `faults-${randomBytes(12).toString('hex')}`;
  const { PATH = '', HOME = '', XDG_CACHE_HOME } = process.env;
  const shared = {
    ...{ PATH, HOME, ...(XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME }) },
    NODE_COMPILE_CACHE: ground.compileCache,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: adminToken,
    DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
    DELIVERY_SCHEDULE: deliverySchedule,
    DELIVERY_TIMEOUT: `${deliveryTimeoutMs}ms`,
    API_DELIVERS: String(options.apiDelivers),
    LOG_LEVEL: 'info',
  };
  const ways = new Map<Way, TcpProxy>();
  const roles = new Map<RoleName, Role>();
  /** The address of each api. */
  const apiUrls: string[] = [];
  const ports: Record<ServerName, number> = { postgres: postgres.port, temporal: temporal.port };
  // Chosen together: a process that starts does not listen yet, and another one must not choose its port.
  const rolePorts = await freePorts(roleNames.length, 29_000 + Math.floor(Math.random() * 2_000));
  for (const [index, name] of roleNames.entries()) {
    const by: Record<ServerName, number> = { postgres: 0, temporal: 0 };
    for (const server of serverNames) {
      const way = new TcpProxy(ports[server]);
      by[server] = await way.listen();
      ways.set(`${name}>${server}`, way);
    }
    const port = String(rolePorts[index]);
    // Each process listens on a port of its own: an api for requests, a worker for its metrics.
    const listens: Record<string, string> = name.startsWith('api') ? { PORT: port } : { METRICS_PORT: port };
    if (name.startsWith('api')) apiUrls.push(`http://127.0.0.1:${port}`);
    const role = new Role({
      name,
      folder: logs,
      env: {
        ...{ ...shared, ...listens, PUBLIC_URL: apiUrls[0] ?? '' },
        ...{ DATABASE_URL: postgres.urlBy(by.postgres), TEMPORAL_ADDRESS: `127.0.0.1:${by.temporal}` },
      },
    });
    roles.set(name, role);
    role.start();
  }
  for (const role of roles.values()) await untilUp(role.name, async () => role.isRunning);
  const balancer = ground.balanced ? new Balancer(apiUrls.map((url) => Number(new URL(url).port))) : null;
  /** Where senders post webhooks: to the apis themselves, or to the balancer before them. */
  const senderUrls = balancer ? [`http://127.0.0.1:${await balancer.listen()}`] : apiUrls;

  const roleOf = (name: RoleName): Role => {
    const role = roles.get(name);
    if (!role) throw new Error(`there is no role ${name}`);
    return role;
  };
  return {
    ...{ postgres, temporal, roles, ways, consumer, receiver, apiUrls, senderUrls, adminToken },
    apiDelivers: options.apiDelivers,
    byHand: nothingByHand(),
    processOf: (name: ProcessName) =>
      name === 'postgres' ? postgres.process : name === 'temporal' ? temporal.process : roleOf(name).process,
    /** Creates the accounts, their consumers and their destinations. */
    async createAccounts() {
      const post = async (path: string, body: unknown): Promise<{ id: string }> => {
        const response = await fetch(`${apiUrls[0]}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-admin-token': adminToken },
          body: JSON.stringify(body),
        });
        if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
        return JSON.parse(await response.text());
      };
      for (const account_slug of accounts) {
        const { id } = await post('/admin/accounts', {
          ...{ provider: 'generic', account_slug, app_key: 'faults', signing_secret_current: signingSecret },
          delivery_url: `http://127.0.0.1:${consumer.port}/${account_slug}/default`,
        });
        for (const { name, condition } of others)
          await post(`/admin/accounts/${id}/consumers`, {
            ...{ name, condition },
            url: `http://127.0.0.1:${consumer.port}/${account_slug}/${name}`,
          });
        for (const name of destinations)
          await post(`/admin/accounts/${id}/destinations`, {
            ...{ destination_type: 'webhook', name },
            config: { url: `http://127.0.0.1:${receiver.port}/${name}`, secret: 'faults-destination-secret' },
          });
      }
    },
    async close() {
      balancer?.close();
      for (const role of roles.values()) await role.kill();
      // Temporal may keep its workflows in this PostgreSQL, and writes to it when it stops.
      await temporal.close();
      await postgres.close();
      for (const way of ways.values()) way.close();
      consumer.close();
      receiver.close();
    },
  };
}

/** The servers, processes, proxies and consumers of one seed. */
export type Stage = Awaited<ReturnType<typeof openStage>>;
