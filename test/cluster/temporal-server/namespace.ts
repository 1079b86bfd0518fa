import { setTimeout as sleep } from 'node:timers/promises';
import { msToTs } from '@temporalio/common/lib/time.js';
import { NativeConnection } from '@temporalio/worker';
import { createLog } from '../../../src/shared/log.ts';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.ts';

/** As the service `temporal-namespace` of docker-compose.yml. */
const retention = msToTs('3 days');
const callLimitMs = 5_000;
/** The server reads its list of namespaces again every 10 s, and refuses calls for a new one until then. */
const knownLimitMs = 60_000;
const lookMs = 500;

/** Makes the namespace with its search attributes, and waits until the server knows both. */
export async function makeNamespace(address: string, namespace: string): Promise<void> {
  const connection = await NativeConnection.connect({ address });
  const call = <T>(work: () => Promise<T>) => connection.withDeadline(Date.now() + callLimitMs, work);
  try {
    await call(() =>
      connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: retention }),
    );
    for (const endMs = Date.now() + knownLimitMs; ; await sleep(lookMs))
      try {
        await call(() => registerSearchAttributes(connection, namespace, createLog('warn')));
        await call(() => connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 }));
        return;
      } catch (error) {
        if (Date.now() > endMs) throw error;
      }
  } finally {
    await connection.close();
  }
}
