import type { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, inject } from 'vitest';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { log } from '../support/runtime.ts';
import { connectTo } from '../support/temporal-connection.ts';

/**
 * Connects a test file to the Temporal of the run, for workers and for clients. Call it once at the top of the file, and
 * read its properties in tests and hooks only: they are set by a hook.
 */
export function useTemporal() {
  // Temporal repeats a task that a worker has lost after ten seconds. On a busy machine, that may happen twice.
  let native: NativeConnection;
  let connection: Connection;
  beforeAll(async () => {
    const address = inject('temporalAddress');
    native = await NativeConnection.connect({ address });
    await registerSearchAttributes(native, 'default', log);
    connection = await connectTo(address);
  });
  afterAll(async () => {
    await connection.close();
    await native.close();
  });
  return {
    get native() {
      return native;
    },
    get connection() {
      return connection;
    },
  };
}
