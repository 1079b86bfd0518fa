import { expect } from 'vitest';
import { type Header, inboundRequest } from '../../src/providers/inbound-request.ts';
import { standard } from '../../src/providers/standard.ts';
import { verifyInbound } from '../../src/providers/verification.ts';

// https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/javascript/src/webhook.test.ts ("sign function works")
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
export const seconds = 1614265330;
export const body = '{"test": 2432232314}';
export const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
// https://github.com/svix/svix-webhooks/blob/main/server/svix-server/src/worker.rs (`test_asymmetric_key_signing`) and
// https://github.com/svix/svix-webhooks/blob/main/server/README.md (its public key)
export const publicKey = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=';
export const asymmetric =
  'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==';

type Change = { headers?: Header[]; body?: string | Uint8Array; prefix?: string; at?: number };

export function requestOf(
  signatures: string,
  { headers = [], body: sent = body, prefix = 'webhook', at = seconds }: Change = {},
) {
  const own: Header[] = [
    [`${prefix}-id`, id],
    [`${prefix}-timestamp`, String(seconds)],
    [`${prefix}-signature`, signatures],
  ];
  const replaced = new Set(headers.map(([name]) => name.toLowerCase()));
  return inboundRequest({
    rawHeaders: [...own.filter(([name]) => !replaced.has(name)), ...headers].flat(),
    target: '/standard/shop',
    publicUrl: null,
    body: Buffer.from(sent),
    receivedAt: new Date(at * 1000),
  });
}

export const verdict = (request: ReturnType<typeof requestOf>, current = secret, previous: string | null = null) =>
  verifyInbound(standard, { skip: false, current, previous, config: { tolerance_seconds: 300 } }, request);
export const ok = { ok: true };
export const refused = (reason: string) => expect.objectContaining({ ok: false, reason });
