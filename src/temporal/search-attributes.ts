import { isGrpcServiceError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import type { Log } from '../shared/log.ts';

/** `temporal.api.enums.v1.IndexedValueType`. */
const indexedValueType = { KEYWORD: 2, INT: 3 } as const;
/** Codes of gRPC (https://grpc.io/docs/guides/status-codes/): PERMISSION_DENIED and UNIMPLEMENTED. */
const refusals = [7, 12];

/**
 * Registers the missing search attributes of the workflows in the namespace. Temporal Cloud, and servers that authorize
 * clients, refuse that to a worker: an operator has to create them there, and the log says which.
 */
export async function registerSearchAttributes(
  connection: Pick<NativeConnection, 'operatorService'>,
  namespace: string,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  let missing = Object.values(searchAttributes);
  try {
    const existing = await connection.operatorService.listSearchAttributes({ namespace });
    missing = missing.filter(({ name }) => !(name in existing.customAttributes));
    if (missing.length === 0) return;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        missing.map(({ name, type }) => [name, type === 'INT' ? indexedValueType.INT : indexedValueType.KEYWORD]),
      ),
    });
  } catch (error) {
    if (!isGrpcServiceError(error) || !refusals.includes(error.code)) throw error;
    const needed = missing.map(({ name, type }) => `${name} (${type === 'INT' ? 'Int' : 'Keyword'})`);
    log.warn({ namespace, needed }, 'search attributes not registered, Temporal allows it to operators only');
  }
}
