import { inboundRequest } from '../../src/providers/inbound-request.ts';
import { providers, readProviderConfig } from '../../src/providers/registry.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { messageFor, sampleOf } from '../support/providers/webhook.ts';
import { nowMs } from './clock.ts';
import { percentile } from './report.ts';

const webhooks = 200;
const rounds = 50;

/** The time to verify one webhook of about 1 KB, in milliseconds: the median of rounds over different webhooks. */
export async function verificationMs(name: string): Promise<number> {
  const sample = sampleOf(name);
  const provider = providers.get(name);
  const key = sample.newKey();
  const target = `/${name}/shop`;
  const publicUrl = 'https://gateway.example';
  const config = readProviderConfig(name, sample.config ?? {});
  const settings = { skip: false, current: key.secret, previous: null, config };
  const inputs = await Promise.all(
    Array.from({ length: webhooks }, async (_, n) => {
      const { headers, query, body } = await messageFor(sample, key, { id: `evt_${n}`, url: publicUrl + target });
      const rawHeaders = [...headers.flat(), 'Host', 'gateway.example'];
      return { rawHeaders, target: target + query, publicUrl, body, receivedAt: new Date() };
    }),
  );
  const roundsMs = Array.from({ length: rounds }, () => {
    const fromMs = nowMs();
    for (const input of inputs)
      if (!verifyInbound(provider, settings, inboundRequest(input)).ok)
        throw new Error(`${name} refuses its own webhook`);
    return (nowMs() - fromMs) / webhooks;
  });
  return percentile(roundsMs, 0.5);
}
