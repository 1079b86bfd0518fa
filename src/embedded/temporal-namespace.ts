import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';

/** The development server keeps closed workflows for a day. A week lets operators examine those of a weekend. */
const retention = msToTs('7 days');
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
 * Sets the retention of closed workflows in the namespace to seven days. Idempotent; the server stores the setting.
 *
 * @throws the server's error when it still fails after half a minute.
 */
export async function keepClosedWorkflowsForAWeek(address: string, namespace: string): Promise<void> {
  for (const end = Date.now() + retryLimitMs; ; await sleep(200)) {
    try {
      await withConnection(address, (connection) =>
        connection.workflowService.updateNamespace({
          namespace,
          config: { workflowExecutionRetentionTtl: retention },
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
