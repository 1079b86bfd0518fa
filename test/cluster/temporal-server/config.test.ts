import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { service } from '../../docker/services.ts';
import { portsNeeded, servicePorts, temporalConfig } from './config.ts';
import { serverVersion } from './program.ts';

const ports = servicePorts(Array.from({ length: portsNeeded }, (_, n) => 25_000 + n));
const config = z
  .object({
    log: z.object({ level: z.string() }),
    persistence: z.object({
      numHistoryShards: z.number(),
      defaultStore: z.string(),
      visibilityStore: z.string(),
      datastores: z.record(z.string(), z.object({ sql: z.record(z.string(), z.unknown()) })),
    }),
    services: z.record(z.string(), z.object({ rpc: z.record(z.string(), z.union([z.number(), z.boolean()])) })),
    dynamicConfigClient: z.object({ filepath: z.string() }),
  })
  .parse(
    parse(
      temporalConfig({
        ...{ ports, metricsPort: 26_000, dynamicConfig: '/somewhere/dynamic.yaml' },
        postgres: { port: 15_432, user: 'temporal', password: 'yes: "quoted" #' },
      }),
    ),
  );

test('workflows and visibility have a database each, on the same PostgreSQL', () => {
  const { defaultStore, visibilityStore, datastores } = config.persistence;
  const sql = { pluginName: 'postgres12_pgx', connectAddr: '127.0.0.1:15432', password: 'yes: "quoted" #' };
  expect(datastores[defaultStore]?.sql).toMatchObject({ ...sql, databaseName: 'temporal' });
  expect(datastores[visibilityStore]?.sql).toMatchObject({ ...sql, databaseName: 'temporal_visibility' });
});

test('every service listens on loopback, on ports of its own', () => {
  const rpcs = Object.values(config.services).map(({ rpc }) => rpc);
  expect(Object.keys(config.services)).toEqual(['frontend', 'history', 'matching', 'worker']);
  expect(rpcs.every(({ bindOnLocalHost }) => bindOnLocalHost === true)).toBe(true);
  expect(new Set(rpcs.flatMap(({ grpcPort, membershipPort }) => [grpcPort, membershipPort])).size).toBe(portsNeeded);
  expect(config.dynamicConfigClient.filepath).toBe('/somewhere/dynamic.yaml');
});

test('too few ports are refused', () => {
  expect(() => servicePorts([1, 2, 3, 4, 5, 6, 7, 7])).toThrow('8 different ports');
});

test('the server has the version of the images in docker-compose.yml', async () => {
  expect(service('temporal').image).toBe(`temporalio/server:${await serverVersion()}`);
});
