import { describe, expect, test } from 'vitest';
import { secretBase64, secretText } from '../support/secrets.ts';
import { usePlanFiles } from './plan-support.ts';

const { gateway, withFile } = usePlanFiles();

const done = { code: 0, stdout: expect.stringContaining('Done: 1 of 1 steps.') };
const [first, next, other] = [secretText('the first'), secretText('the next'), secretText('another')];

/** An account with these fields, and what applies a file with others and --rotate. */
async function accountWith(slug: string, stored: Record<string, unknown>) {
  const { admin } = gateway;
  const { id, provider } = await admin.createAccount({ account_slug: slug, app_key: 'my-app', ...stored });
  const file = withFile({ NEXT: next, OTHER: other, BASE64: secretBase64('..') });
  return {
    ...{ id, file },
    shown: async () => (await admin.request('GET', `/admin/accounts/${id}`)).body,
    async rotate(...fields: string[]) {
      const lines = ['app_key: my-app', 'skip_signature_verification: true', ...fields];
      await file.write(`accounts:\n  ${provider}/${slug}:\n${lines.map((line) => `    ${line}\n`).join('')}`);
      return file.apply('--rotate', '--yes');
    },
  };
}

const signing = `signing_secret_current: \${env:NEXT}`;
const delivery = `delivery_secret: \${env:OTHER}`;

describe('apply --rotate', () => {
  test('keeps a replaced secret beside one that is the first', async () => {
    const { rotate, shown, file } = await accountWith('first', { signing_secret_current: first });
    expect(await rotate(signing, delivery, 'org_id: mine')).toMatchObject(done);
    expect(await shown()).toMatchObject({
      ...{ has_signing_secret_previous: true, has_delivery_secret: true, org_id: 'mine' },
      delivery_secret_previous_expires_at: null,
    });
    expect(await file.plan()).toMatchObject({ code: 0 });
  });

  test('keeps a replaced secret beside one that is removed', async () => {
    const { rotate, shown } = await accountWith('removed', { signing_secret_current: first, delivery_secret: first });
    expect(await rotate(signing, 'delivery_secret: null')).toMatchObject(done);
    expect(await shown()).toMatchObject({ has_signing_secret_previous: true, has_delivery_secret: false });
  });

  test('replaces at once what signs nothing, since a key of ed25519 signs', async () => {
    const stored = { signing_secret_current: first, delivery_secret: first, delivery_url: 'https://shop.example/' };
    const { id, rotate, shown, file } = await accountWith('key', stored);
    const { admin } = gateway;
    const path = `/admin/accounts/${id}/consumers`;
    await admin.request('PATCH', `${path}/default`, { signature: 'ed25519' });
    for (const [name, signature] of [
      ['has-key', 'ed25519'],
      ['gets-key', null],
      ['loses-key', 'ed25519'],
    ])
      await admin.post(path, { name, signature, url: 'https://billing.example/', secret: first });
    const consumer = (signature: string) =>
      `{ url: "https://billing.example/", secret: "\${env:NEXT}", signature: ${signature} }`;
    const rotated = await rotate(
      ...[signing, delivery, 'delivery_url: https://shop.example/', 'consumers:', '  default: { signature: ed25519 }'],
      ...[
        `  has-key: ${consumer('ed25519')}`,
        `  gets-key: ${consumer('ed25519')}`,
        `  loses-key: ${consumer('null')}`,
      ],
    );
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringContaining('Done: 4 of 4 steps.') });
    expect(await shown()).toMatchObject({
      ...{ has_signing_secret_previous: true, delivery_secret_previous_expires_at: null },
    });
    const { body } = await admin.request('GET', path);
    expect(body.map((one: Record<string, unknown>) => [one.name, one.secret_previous_expires_at])).toEqual([
      ['default', null],
      ['has-key', null],
      ['gets-key', null],
      // A secret signs again, and the stored one beside it.
      ['loses-key', expect.any(String)],
    ]);
    expect(await file.plan()).toMatchObject({ code: 0 });
  });

  test('says what is rotated when the rest fails, and applied again it makes the rest', async () => {
    const { rotate, shown } = await accountWith('rest', { signing_secret_current: first });
    // An address to which the gateway sends nothing.
    const failed = await rotate(signing, delivery, 'delivery_url: http://169.254.169.254/');
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('0 of 1 steps were made') });
    expect(failed.stderr).toContain('(rotated already: signing_secret_current)');
    const rotated = { has_signing_secret_previous: true, has_delivery_secret: false, delivery_url: null };
    expect(await shown()).toMatchObject(rotated);
    expect(await rotate(signing, delivery, 'delivery_url: https://shop.example/')).toMatchObject(done);
    expect(await shown()).toMatchObject({
      ...rotated,
      has_delivery_secret: true,
      delivery_url: 'https://shop.example/',
    });
  });

  test('sends a signing secret together with the settings that say how it is written', async () => {
    const { rotate, shown } = await accountWith('encoded', {
      ...{ provider: 'hmac', provider_config: { header: 'x-signature', secret_encoding: 'hex' } },
      signing_secret_current: 'ab'.repeat(16),
    });
    const config = 'provider_config: { header: x-signature, secret_encoding: base64 }';
    expect(await rotate(`signing_secret_current: \${env:BASE64}`, delivery, config)).toMatchObject(done);
    expect(await shown()).toMatchObject({ has_signing_secret_previous: true, has_delivery_secret: true });
  });
});
