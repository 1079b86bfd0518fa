import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { newSignatureKey, publicKeyOf } from '../../src/accounts/signature-key.ts';
import { signaturesOf } from '../../src/delivery/signature.ts';
import { folderForTest } from '../support/folder-for-test.ts';

const page = readFileSync(new URL('../../docs/consumers.md', import.meta.url), 'utf8');

test('the function of docs/consumers.md accepts a signature of Ed25519, and nothing else', async () => {
  const [, code = ''] = /```js\n(import \{ createPublicKey[\s\S]*?)```/.exec(page) ?? [];
  const file = join(folderForTest(), 'signature.mjs');
  writeFileSync(file, code);
  const { isSigned, readPublicKey } = await import(/* @vite-ignore */ pathToFileURL(file).href);

  const [one, other] = [newSignatureKey(), newSignatureKey()];
  const body = Buffer.from('{"text":"ü"}');
  const headersAt = (at: Date, key = one) => {
    const timestampS = Math.floor(at.getTime() / 1000);
    const signature = signaturesOf({ key }, { id: 'evt', timestampS, body }, at);
    return { 'webhook-id': 'evt', 'webhook-timestamp': String(timestampS), 'webhook-signature': signature };
  };
  const now = headersAt(new Date());
  const key = readPublicKey(publicKeyOf(one));
  expect(isSigned(body, now, key)).toBe(true);
  expect(isSigned(body, { ...now, 'webhook-signature': `v1,abc ${now['webhook-signature']}` }, key)).toBe(true);
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  for (const [text, headers] of [
    [Buffer.from('{}'), now],
    [body, { ...now, 'webhook-id': 'evt2' }],
    [body, { ...now, 'webhook-timestamp': 'now' }],
    [body, { ...now, 'webhook-signature': undefined }],
    [body, { ...now, 'webhook-signature': 'v1a,AAAA v1a v1,AAAA' }],
    [body, headersAt(minutesAgo(6))],
    [body, headersAt(minutesAgo(-6))],
    [body, headersAt(new Date(), other)],
  ])
    expect(isSigned(text, headers, key)).toBe(false);
});
