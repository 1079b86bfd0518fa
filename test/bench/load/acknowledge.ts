import { nowMs } from '../clock.ts';
import { signAs } from './sign.ts';
import { Poster } from './webhooks.ts';

export interface AcknowledgeJob {
  url: string;
  secret: string;
  connections: number;
  seconds: number;
  /** The provider whose signatures the webhooks have; `generic` sends the secret. */
  provider?: string;
  adminUrl: string;
  adminToken: string;
}

export interface AcknowledgeResult {
  acknowledged: number;
  refused: number;
  seconds: number;
  latenciesMs: number[];
}

export const warmUpSeconds = 3;

/** Posts as fast as the connections allow, one request per connection at a time. The warm-up is not counted. */
export async function acknowledge(job: AcknowledgeJob): Promise<AcknowledgeResult> {
  const { provider = 'generic' } = job;
  const signed = provider === 'generic' ? {} : { sign: await signAs(provider, job) };
  const poster = new Poster({ targets: [job], connections: job.connections, ...signed });
  const run = process.pid.toString(36) + Date.now().toString(36);
  const fromMs = nowMs() + warmUpSeconds * 1000;
  const endMs = fromMs + job.seconds * 1000;
  let sent = 0;
  let refused = 0;
  const latenciesMs: number[] = [];
  const connection = async () => {
    while (nowMs() < endMs) {
      const startedMs = nowMs();
      const status = await poster.post(run, sent++);
      if (startedMs < fromMs) continue;
      // Some providers treat only 200 as success.
      if (status === 202 || status === 200) latenciesMs.push(nowMs() - startedMs);
      else refused++;
    }
  };
  await Promise.all(Array.from({ length: job.connections }, connection));
  await poster.close();
  return { acknowledged: latenciesMs.length, refused, seconds: job.seconds, latenciesMs };
}
