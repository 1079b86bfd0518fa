import type { BothEnds } from './both-ends.ts';

const seconds = 2;
/** The load generator and the consumer compile their code while they run: the first exchange of a process is slower. */
const warmUpSeconds = 1;

/** Measures the exchange without a gateway: POSTs a second straight from the load generator to the consumer. */
export async function bareExchange(
  { load, consumerUrl }: BothEnds,
  { connections, bytes }: { connections: number; bytes: number },
): Promise<number> {
  const target = { url: consumerUrl, secret: 'bench-signing-secret' };
  const run = (forSeconds: number) => {
    const timer = setTimeout(() => load.call('stop', { run: 'bare' }), forSeconds * 1000);
    return load
      .call('send', { run: 'bare', targets: [target], events: null, rate: 0, connections, bytes })
      .finally(() => clearTimeout(timer));
  };
  await run(warmUpSeconds);
  const { sentMs, answeredMs, statuses } = await run(seconds);
  if (statuses.some((status) => status !== 202)) throw new Error('the consumer did not answer the bare exchange');
  return (sentMs.length * 1000) / ((answeredMs.at(-1) ?? 0) - (sentMs[0] ?? 0));
}
