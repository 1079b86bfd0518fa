import type pg from 'pg';
import { type Consumer, startConsumer } from './consumer.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import type { TestGatewayOptions } from './gateway-options.ts';
import { openClient } from './one-connection.ts';
import { useForAll, useForEach } from './use.ts';

const stop = (gateway: TestGateway) => gateway.stop();

/** One gateway for all tests of a file, or of a `describe`. */
export function useGateway(options: TestGatewayOptions = {}): TestGateway {
  return useForAll(() => startGateway(options), stop);
}

/** A new gateway, with a database of its own, for each test. */
export function useGatewayPerTest(options: TestGatewayOptions = {}): TestGateway {
  return useForEach(() => startGateway(options), stop);
}

/** One consumer for all tests of a file, or of a `describe`. */
export const useConsumer = (): Consumer =>
  useForAll(
    () => startConsumer(),
    (consumer) => consumer.close(),
  );

/** A second connection to the gateway's database for all tests of a file. */
export const useClient = (gateway: TestGateway): pg.Client =>
  useForAll(
    () => openClient(gateway.databaseUrl),
    (client) => client.end(),
  );
