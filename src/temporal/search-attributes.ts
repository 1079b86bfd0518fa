import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from '../../workflows/search-attributes.ts';

/** `temporal.api.enums.v1.IndexedValueType`. */
const indexedValueType = { KEYWORD: 2, INT: 3 } as const;

/** Registers the missing search attributes of the workflows in the namespace. */
export async function registerSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  const existing = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(searchAttributes).filter(({ name }) => !(name in existing.customAttributes));
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(
      missing.map(({ name, type }) => [name, type === 'INT' ? indexedValueType.INT : indexedValueType.KEYWORD]),
    ),
  });
}
