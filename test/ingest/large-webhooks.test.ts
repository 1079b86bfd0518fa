import { expect, test } from 'vitest';
import { largeWebhookWarnings } from '../../src/ingest/large-webhooks.ts';

test('webhooks that are too large are logged once a minute, with their number', () => {
  const said: unknown[] = [];
  let nowMs = 1_000_000;
  const warn = largeWebhookWarnings({ warn: (details: object) => said.push(details) }, 1024, () => nowMs);
  warn('github', 'shop');
  warn('github', 'shop');
  nowMs += 59_999;
  warn('stripe', 'shop');
  expect(said).toEqual([{ provider: 'github', accountSlug: 'shop', refused: 1, maxPayloadBytes: 1024 }]);
  nowMs += 1;
  warn('stripe', 'shop');
  expect(said.at(-1)).toEqual({ provider: 'stripe', accountSlug: 'shop', refused: 3, maxPayloadBytes: 1024 });
  expect(said).toHaveLength(2);
});
