import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifyInbound } from '../../src/providers/verification.ts';
import { acme } from '../fixtures/providers/acme.ts';
import { receivedAt, requestOf } from './request.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('docs/adding-a-provider.md shows the example that is tested here', () => {
  const [, shown] = /`src\/providers\/acme\.ts`:\n\n```ts\n([\s\S]*?)```/.exec(read('docs/adding-a-provider.md')) ?? [];
  expect(shown).toBe(
    read('test/fixtures/providers/acme.ts')
      .replaceAll('../../../src/providers/', './')
      .replaceAll('../../../src/', '../'),
  );
});

test('the example works as the page describes', () => {
  const body = '{"kind":"order.paid","event":{"id":"ev_17"},"order":{"total":4200}}';
  const at = String(Math.floor(receivedAt.getTime() / 1000));
  const sign = (secret: string) => createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const verdict = (headers: [string, string][], text = body) =>
    verifyInbound(
      acme,
      { skip: false, current: 'key', previous: 'old', config: { tolerance_seconds: 300 } },
      requestOf({ headers, body: text }),
    );
  const signed = (signature: string, timestamp = at): [string, string][] => [
    ['Acme-Timestamp', timestamp],
    ['Acme-Signature', signature],
  ];
  expect(verdict(signed(sign('key')))).toEqual({ ok: true });
  expect(verdict(signed(sign('old')))).toEqual({ ok: true });
  expect(verdict(signed(sign('other')))).toEqual({ ok: false, reason: 'bad_signature' });
  expect(verdict(signed(sign('key')), `${body} `)).toEqual({ ok: false, reason: 'bad_signature' });
  expect(verdict([['Acme-Timestamp', at]])).toEqual({ ok: false, reason: 'missing_signature' });
  const request = requestOf({ body });
  expect(acme.eventType(request, { tolerance_seconds: 300 })).toBe('order.paid');
  expect(acme.externalId(request, { tolerance_seconds: 300 })).toEqual({ id: 'ev_17', own: true });
});
