import { describe, expect, test } from 'vitest';
import { secretText } from '../support/secrets.ts';
import { newAuthority } from '../support/tls/certificates.ts';
import { usePlanFiles } from './plan-support.ts';

const { accountNamed, gateway, withFile, writeNext } = usePlanFiles();

const nothing = { code: 0, stdout: expect.stringMatching(/\nNothing to change\.\n$/), stderr: '' };
const variables = {
  ...{ ID: 'gateway', LOGIN: 'https://login.example/token', HEADER: 'x-key', USER: 'user' },
  ...{ SECRET: secretText('of-all'), ONCALL: 'on-call@example.com', STATUS: '410' },
};
const anotherSecret = { SECRET: secretText('another-of-all') };

const clients = (slug: string, scope: string) => `
accounts:
  generic/${slug}:
    app_key: my-app
    consumers:
      basic:
        url: https://one.example/
        authentication: { type: basic, username: "\${env:USER}", password: "\${env:SECRET}" }
      header:
        url: https://two.example/
        authentication: { type: header, name: "\${env:HEADER}", value: "\${env:SECRET}" }
      oauth2:
        url: https://three.example/
        authentication:
          type: oauth2
          token_url: \${env:LOGIN}
          client_id: \${env:ID}
          client_secret: \${env:SECRET}
          scope: ${scope}
`;
const mtls = (slug: string, folder: string) => `
accounts:
  generic/${slug}:
    app_key: my-app
    consumers:
      mtls:
        url: https://one.example/
        authentication: { type: mtls, certificate: "\${file:${folder}.pem}", key: "\${file:${folder}.key}" }
`;

describe('an authentication of which nothing is set', () => {
  test('is unchanged', async () => {
    const { write, plan, apply, run, file } = withFile();
    await write(clients('kept', 'hooks'));
    expect(await run(['apply', '-f', file, '--yes'], variables)).toMatchObject({ code: 0 });
    const planned = await plan();
    expect(planned).toEqual(nothing);
    for (const at of ['basic authentication.username', 'oauth2 authentication.client_id'])
      expect(planned.stdout).toMatch(new RegExp(`${at}: .* is not set, so it stays as it is`));
    expect(await apply('--yes')).toEqual(nothing);
  });

  test('is unchanged if it is a client certificate', async () => {
    const { write, plan, run, file } = withFile();
    const { cert, key } = await (await newAuthority()).issue({ commonName: 'gateway.test' });
    await writeNext('client.pem', cert);
    await writeNext('client.key', key);
    await write(mtls('certified', 'client'));
    expect(await run(['apply', '-f', file, '--yes'])).toMatchObject({ code: 0 });
    await write(mtls('certified', 'none'));
    expect(await plan()).toEqual(nothing);
  });

  test('is needed if something else of it differs, but not what the gateway shows', async () => {
    const { write, plan, apply, run, file } = withFile();
    await write(clients('differs', 'hooks'));
    expect(await run(['apply', '-f', file, '--yes'], variables)).toMatchObject({ code: 0 });
    await write(clients('differs', 'hooks events'));
    const { code, stdout } = await plan();
    expect(code).toBe(5);
    expect(stdout.match(/.* is needed/g)).toEqual([
      expect.stringMatching(/oauth2 authentication\.client_secret: .* is not set, and is needed/),
    ]);
    expect(await apply('--yes')).toMatchObject({ code: 4, stderr: expect.stringContaining('client_secret needs') });
    expect(await run(['apply', '-f', file, '--yes'], { SECRET: variables.SECRET })).toMatchObject({ code: 0 });
    const { id } = await accountNamed('differs');
    const { body } = await gateway.admin.request('GET', `/admin/accounts/${id}/consumers/oauth2`);
    expect(body.authentication).toMatchObject({ client_id: 'gateway', scope: 'hooks events' });
  });

  test('gets another secret, and keeps the rest', async () => {
    const { write, run, file } = withFile();
    await write(clients('replaced', 'hooks'));
    expect(await run(['apply', '-f', file, '--yes'], variables)).toMatchObject({ code: 0 });
    const replaced = await run(['apply', '-f', file, '--yes'], anotherSecret);
    expect(replaced).toMatchObject({ code: 0, stdout: expect.stringContaining('Done: 3 of 3 steps.') });
    expect(await run(['plan', '-f', file], { ...variables, ...anotherSecret })).toMatchObject({ code: 0 });
  });
});

const lists = (slug: string) => `
accounts:
  generic/${slug}:
    app_key: my-app
    consumers:
      billing: { url: "https://billing.example/", final: ["\${env:STATUS}"], success: [2xx, "\${env:STATUS}"] }
    destinations:
      On-call:
        destination_type: email
        config: { addresses: ["\${env:ONCALL}"] }
`;

describe('a list of which a part is not set', () => {
  test('is unchanged', async () => {
    const { write, plan, run, file } = withFile();
    await write(lists('listed'));
    expect(await run(['apply', '-f', file, '--yes'], variables)).toMatchObject({ code: 0 });
    const planned = await plan();
    expect(planned).toEqual(nothing);
    expect(planned.stdout).toContain(`config.addresses.0: \${env:ONCALL} is not set, so it stays as it is`);
    expect(planned.stdout).toContain(`success.1: \${env:STATUS} is not set, so it stays as it is`);
  });

  test('is needed by what is new', async () => {
    const { write, plan, apply } = withFile();
    await write(lists('new-list'));
    expect(await plan()).toMatchObject({ code: 5, stdout: expect.stringContaining('is not set, and is needed') });
    expect(await apply('--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('config.addresses.0 needs'),
    });
  });
});

test('a destination of another type needs what belongs to its type, and nothing else', async () => {
  const { write, plan, run, file } = withFile();
  const text = (ofType: string) =>
    `accounts:\n  generic/retyped:\n    app_key: my-app\n    destinations:\n` +
    `      Chat: { condition: "\${env:CONDITION}", ${ofType} }\n`;
  await write(text('destination_type: email, config: { addresses: [a@example.com] }'));
  const all = { CONDITION: 'event_type == "a"', CHAT_URL: 'https://chat.example/' };
  expect(await run(['apply', '-f', file, '--yes'], all)).toMatchObject({ code: 0 });
  await write(text(`destination_type: chat_one, config: { webhook_url: "\${env:CHAT_URL}" }`));
  const { code, stdout } = await plan();
  expect([code, stdout.match(/\? .*/g)]).toEqual([
    5,
    [
      expect.stringMatching(/condition: .* so it stays as it is/),
      expect.stringMatching(/config\.webhook_url: .* is needed/),
    ],
  ]);
});
