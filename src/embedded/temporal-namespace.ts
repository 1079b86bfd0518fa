import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';

/** A dev server keeps closed workflows for a day; a week lets people look at what happened over a weekend. */
const retention = msToTs('7 days');
const callLimitMs = 2_000;
/** The server answers before all of its parts do. */
const patienceMs = 30_000;

/** Whether the server answers calls yet. */
export async function answers(address: string): Promise<boolean> {
  try {
    await withConnection(address, (connection) => connection.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes sure that the namespace keeps closed workflows for seven days. Idempotent; the server remembers it.
 *
 * @throws what the server answered, when it goes on for half a minute.
 */
export async function keepClosedWorkflowsForAWeek(address: string, namespace: string): Promise<void> {
  for (const end = Date.now() + patienceMs; ; await sleep(200)) {
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
  // Never through a proxy of the user's environment: the server is on this machine.
  const connection = Connection.lazy({ address, tls: false, channelArgs: { 'grpc.enable_http_proxy': 0 } });
  try {
    return await connection.withDeadline(Date.now() + callLimitMs, () => call(connection));
  } finally {
    await connection.close();
  }
}
