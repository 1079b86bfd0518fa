import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { hmac } from '../../src/providers/hmac.ts';
import { type HmacConfig, hmacConfig } from '../../src/providers/hmac-config.ts';
import type { Header } from '../../src/providers/inbound-request.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { receivedAt, requestOf } from './request.ts';

export const configOf = (config: Record<string, unknown> = {}): HmacConfig =>
  hmacConfig.parse({ header: 'X-Signature', ...config });
export const verdict = (
  config: Record<string, unknown>,
  headers: Header[],
  { body = '{}' as string | Uint8Array, secret = 'key', query = '' } = {},
) =>
  verifyInbound(
    hmac,
    { skip: false, current: secret, previous: null, config: configOf(config) },
    requestOf({ headers, body, query }),
  );
export const ok = { ok: true };
export const refused = (reason: string) => expect.objectContaining({ ok: false, reason });
export const now = Math.floor(receivedAt.getTime() / 1000);
export const sign = (
  text: string | Uint8Array,
  encoding: 'hex' | 'base64' | 'base64url' = 'hex',
  algorithm = 'sha256',
) => createHmac(algorithm, 'key').update(text).digest(encoding);
