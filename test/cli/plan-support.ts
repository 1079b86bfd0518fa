import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';
import { gatewayEnv, runCli } from './support.ts';

// A token compares secrets ten times a minute, so that each test has one of its own.
export const tokens = Array.from({ length: 12 }, (_, n) => ({
  name: `admin-${n}`,
  token: secretText(`a-token-of-admin-${n}`),
}));
export const reader = secretText('a-token-of-a-reader');

/** A gateway for the tests of a file, and a folder with their files. */
export function usePlanFiles() {
  const gateway = useGateway({
    worker: false,
    adminTokens: [...tokens, { name: 'rita', token: reader, role: 'read' }],
  });
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plan-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  let files = 0;
  return {
    gateway,
    /** Writes a file that files of the tests refer to. */
    writeNext: (name: string, text: string) => writeFile(join(folder, name), text),
    /** Runs commands with a file, each of them with a new token. */
    withFile(env: Record<string, string> = {}) {
      files += 1;
      const file = join(folder, `gateway-${files}.yaml`);
      const token = tokens[files % tokens.length]?.token ?? '';
      const all = { ...gatewayEnv(gateway), GATEWAY_TOKEN: token, ...env };
      return {
        file,
        write: (text: string) => writeFile(file, text),
        plan: (...args: string[]) => runCli(['plan', '-f', file, ...args], { env: all }),
        apply: (...args: string[]) => runCli(['apply', '-f', file, ...args], { env: all }),
        run: (args: string[], more: Record<string, string> = {}) => runCli(args, { env: { ...all, ...more } }),
      };
    },
    async accountNamed(slug: string) {
      const { body } = await gateway.admin.request('GET', '/admin/accounts');
      return body.find((one: { account_slug: string }) => one.account_slug === slug);
    },
  };
}

/** A file with an account that has all kinds of settings, under this name. */
export const shop = (slug: string) => `
accounts:
  generic/${slug}:
    app_key: my-app
    signing_secret_current: \${env:SIGNING}
    delivery_url: \${env:DELIVERY_URL}
    delivery_secret: \${file:delivery.key}
    consumers:
      default:
        timeout: 60s
      billing:
        url: https://billing.example/hook
        secret: \${env:BILLING}
        condition: event_type.startswith("invoice.")
        authentication: { type: basic, username: gateway, password: "\${env:PASSWORD}" }
        schedule: [60s, 10m]
    destinations:
      On-call:
        destination_type: email
        config: { addresses: [on-call@example.com] }
        kinds: [incident.opened, delivery.failed]
      Chat:
        destination_type: chat_one
        config: { webhook_url: "\${env:CHAT_URL}" }
`;
/** The variables of `shop`. */
export const secrets = {
  ...{
    SIGNING: secretText('the signing secret'),
    BILLING: secretText('of billing'),
    PASSWORD: secretText('a password'),
  },
  ...{ DELIVERY_URL: 'https://user:pass@shop.example/hook', CHAT_URL: 'https://chat.example/T0/secret-path' },
};

export const withoutKey = (text: string) => text.replace(/^ *delivery_secret: .*\n/m, '');
