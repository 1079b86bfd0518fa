import type { Header } from '../../../src/providers/inbound-request.ts';
import type { Key, Sample } from './sample.ts';
import { samples } from './samples.ts';

export function sampleOf(provider: string): Sample {
  const sample = samples.find((one) => one.provider === provider);
  if (!sample)
    throw new Error(`there is no sample of ${provider}; there are ${samples.map((s) => s.provider).join(', ')}`);
  return sample;
}

/** The sample's event with that id, signed now: everything that is sent except host and length. */
export async function messageFor(
  sample: Sample,
  key: Key,
  { id, url, at = new Date() }: { id: string; url: string; at?: Date },
): Promise<{ headers: Header[]; query: string; body: Uint8Array }> {
  const { body, contentType = 'application/json', headers = [] } = sample.event(id);
  const signed = await key.sign({ body: Buffer.from(body), contentType, at, url });
  return {
    headers: [['content-type', signed.contentType ?? contentType], ...signed.headers, ...headers],
    query: signed.query ?? '',
    body: signed.body,
  };
}
