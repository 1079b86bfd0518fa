import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';

/** As they are sent by hand: without an argument, a text, another object, and values of other types. */
const odd: unknown[][] = [[], ['text'], [{}], [{ generation: '0', number: '1', dead: 'yes' }]];
const signals = ['ack', 'fail', 'retry', 'replay', 'unknown'].flatMap((name) => odd.map((args) => ({ name, args })));
const pauseMs = 200;
const atOnce = 20;

/** Sends odd signals to running workflows again and again. Returns the function that ends this. */
export async function sendOddSignals(port: number): Promise<() => Promise<void>> {
  const connection = Connection.lazy({
    address: `127.0.0.1:${port}`,
    channelArgs: { 'grpc.enable_http_proxy': 0 },
  });
  const { workflow } = new Client({ connection });
  const ending = new AbortController();
  const send = async () => {
    const running = workflow.list({ query: `WorkflowType = 'deliverEvent' AND ExecutionStatus = 'Running'` });
    let count = 0;
    for await (const { workflowId } of running) {
      for (const { name, args } of signals) await workflow.getHandle(workflowId).signal(name, ...args);
      if (++count === atOnce || ending.signal.aborted) return;
    }
  };
  const sending = (async () => {
    while (!ending.signal.aborted) {
      // A workflow may have ended, and another fault may have taken Temporal away.
      await send().catch(() => undefined);
      await sleep(pauseMs);
    }
  })();
  return async () => {
    ending.abort();
    await sending;
    await connection.close();
  };
}
