import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';

const callLimitMs = 2_000;
/** How long calls are retried: the server accepts connections before all its services are ready. */
const retryLimitMs = 30_000;

/** Whether the server responds to calls. */
export async function answers(address: string): Promise<boolean> {
  try {
    await withConnection(address, (connection) => connection.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}

/**
 * Sets how long the namespace keeps workflows that close from now on. Idempotent; the server stores the setting.
 *
 * @param hours 1 at least, the server's own limit
 * @throws the server's error when it still fails after half a minute.
 */
export async function keepClosedWorkflows(address: string, namespace: string, hours: number): Promise<void> {
  for (const end = Date.now() + retryLimitMs; ; await sleep(200)) {
    try {
      await withConnection(address, (connection) =>
        connection.workflowService.updateNamespace({
          namespace,
          config: { workflowExecutionRetentionTtl: msToTs(hours * 3_600_000) },
        }),
      );
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

async function withConnection<T>(address: string, call: (connection: Connection) => Promise<T>): Promise<T> {
  // Without the proxy of the user's environment, because the server is on this machine.
  const connection = Connection.lazy({ address, tls: false, channelArgs: { 'grpc.enable_http_proxy': 0 } });
  try {
    return await connection.withDeadline(Date.now() + callLimitMs, () => call(connection));
  } finally {
    await connection.close();
  }
}
