import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Role, readConfig } from '../../src/config.ts';
import { StartError } from '../../src/shared/start-error.ts';
import { filesOf, newAuthority } from '../support/tls/certificates.ts';

type Env = Record<string, string>;

const shared: Env = {
  DATABASE_URL: 'postgres://h/d',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  ADMIN_TOKEN: 'token-of-the-admin',
};
const temporal = (env: Env, role: Role = 'worker') => readConfig(role, { ...shared, ...env }).temporal;
const at: Env = { TEMPORAL_ADDRESS: 't:7233' };

/** The errors that a start would report. */
function mistakes(env: Env, role: Role = 'worker'): string[] {
  try {
    readConfig(role, { ...shared, ...env });
  } catch (error) {
    if (error instanceof StartError)
      return error.message
        .split('\n')
        .slice(1)
        .map((line) => line.slice(4));
    throw error;
  }
  return [];
}

let pem: Record<'ca' | 'cert' | 'key' | 'otherKey', string>;
let files: Record<keyof typeof pem, string>;
const end: (() => void)[] = [];
beforeAll(async () => {
  const authority = await newAuthority();
  const [client, other] = await Promise.all([
    authority.issue({ commonName: 'a' }),
    authority.issue({ commonName: 'b' }),
  ]);
  pem = { ca: authority.cert, cert: client.cert, key: client.key, otherKey: other.key };
  files = filesOf(pem, (work) => end.push(work));
});
afterAll(() => {
  for (const work of end) work();
});

/** Writes a configuration file of Temporal into a home folder. */
function tomlFile(text: string) {
  const home = mkdtempSync(join(tmpdir(), 'gateway-temporal-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, '.config', 'temporalio');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'temporal.toml');
  writeFileSync(file, text);
  // On macOS the default place differs, so the variable names the file.
  const variables: Env = process.platform === 'linux' ? { HOME: home } : { TEMPORAL_CONFIG_FILE: file };
  return { file, home: variables };
}

describe('variables', () => {
  test('an address alone means no TLS', () => {
    expect(temporal(at)).toMatchObject({
      address: 't:7233',
      namespace: 'default',
      apiKey: null,
      tls: false,
      metadata: {},
    });
  });

  test.each<[Env, unknown]>([
    [{ TEMPORAL_TLS: 'true' }, true],
    [{ TEMPORAL_TLS: 'yes' }, true],
    [{ TEMPORAL_TLS: '1' }, true],
    [{ TEMPORAL_TLS: 'false' }, false],
    [{ TEMPORAL_TLS: 'off' }, false],
    [{ TEMPORAL_API_KEY: 'k' }, true],
    [{ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' }, false],
    [{ TEMPORAL_TLS_SERVER_NAME: 'name.test' }, { serverNameOverride: 'name.test' }],
    [{ TEMPORAL_TLS_SERVER_NAME: 'name.test', TEMPORAL_TLS: 'false' }, false],
    [{ TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'false' }, true],
  ])('%j', (env, tls) => {
    expect(temporal({ ...at, ...env }).tls).toEqual(tls);
  });

  test.each(['PATH', 'DATA'])('certificate, key and authority by %s', (kind) => {
    const from = kind === 'PATH' ? files : pem;
    const { tls } = temporal({
      ...at,
      [`TEMPORAL_TLS_CLIENT_CERT_${kind}`]: from.cert,
      [`TEMPORAL_TLS_CLIENT_KEY_${kind}`]: from.key,
      [`TEMPORAL_TLS_SERVER_CA_CERT_${kind}`]: from.ca,
    });
    if (typeof tls !== 'object') throw new Error('it has TLS');
    const texts = [tls.clientCertPair?.crt, tls.clientCertPair?.key, tls.serverRootCACertificate];
    expect(texts.map((bytes) => Buffer.from(bytes ?? []).toString())).toEqual([pem.cert, pem.key, pem.ca]);
  });

  test('TEMPORAL_GRPC_META_ variables become headers of every call', () => {
    const { metadata } = temporal({ ...at, TEMPORAL_GRPC_META_X_MY_OWN_HEADER: 'a b', TEMPORAL_GRPC_META_EMPTY: '' });
    expect(metadata).toEqual({ 'x-my-own-header': 'a b' });
  });
});

describe('profiles', () => {
  const text = `
    [profile.default]
    address = "default.test:7233"
    namespace = "of-default"
    [profile.other]
    address = "other.test:7233"
    api_key = "hush"
    [profile.other.tls]
    server_name = "name.test"
    [profile.other.grpc_meta]
    x-kept = "kept"
    x-gone = "gone"`;

  test.each<Role>(['api', 'worker'])("%s uses the default profile of the user's file", (role) => {
    expect(temporal(tomlFile(text).home, role)).toMatchObject({
      address: 'default.test:7233',
      namespace: 'of-default',
    });
  });

  test('TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE select a profile, and variables override it', () => {
    const env = { TEMPORAL_CONFIG_FILE: tomlFile(text).file, TEMPORAL_PROFILE: 'other' };
    expect(temporal(env)).toMatchObject({
      ...{ address: 'other.test:7233', namespace: 'default', apiKey: 'hush' },
      ...{ tls: { serverNameOverride: 'name.test' }, metadata: { 'x-kept': 'kept', 'x-gone': 'gone' } },
    });
    const more = { ...at, TEMPORAL_NAMESPACE: 'n', TEMPORAL_API_KEY: 'k', TEMPORAL_GRPC_META_X_GONE: '' };
    expect(temporal({ ...env, ...more })).toMatchObject({
      ...{ address: 't:7233', namespace: 'n', apiKey: 'k', metadata: { 'x-kept': 'kept' } },
    });
  });

  test('a file without any profile is accepted', () => {
    expect(mistakes({ ...at, ...tomlFile('').home })).toEqual([]);
  });

  test.each<Role>(['all', 'migrate', 'restore'])('%s, which uses no external Temporal, ignores the file', (role) => {
    const nothing = { address: null, apiKey: null, tls: false, metadata: {}, namespace: 'default' };
    const variables = {
      ...{ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'true', TEMPORAL_PROFILE: 'missing', TEMPORAL_GRPC_META_X: 'x' },
      TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere',
    };
    expect(temporal({ ...tomlFile('broken [').home, ...variables }, role)).toMatchObject(nothing);
  });

  test('all with TEMPORAL_ADDRESS uses the file like the other roles', () => {
    expect(temporal({ ...at, ...tomlFile(text).home, TEMPORAL_PROFILE: 'other' }, 'all')).toMatchObject({
      ...{ address: 't:7233', apiKey: 'hush', tls: { serverNameOverride: 'name.test' } },
    });
  });
});

describe('errors name the setting, and contain no secret', () => {
  test.each<[string, () => Env, RegExp]>([
    [
      'a missing file',
      () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere' }),
      /^TEMPORAL_TLS_SERVER_CA_CERT_PATH: cannot be read: \/nowhere \(ENOENT\)$/,
    ],
    [
      'a folder',
      () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/' }),
      /^TEMPORAL_TLS_SERVER_CA_CERT_PATH: must be a file/,
    ],
    [
      'an endless file',
      () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/dev/zero' }),
      /^TEMPORAL_TLS_SERVER_CA_CERT_PATH: must be a file/,
    ],
    [
      'a key as authority',
      () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: files.key }),
      /^TEMPORAL_TLS_SERVER_CA_CERT_PATH: holds no certificate/,
    ],
    [
      'rubbish',
      () => ({ TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'hush' }),
      /^TEMPORAL_TLS_SERVER_CA_CERT_DATA: holds no certificate/,
    ],
    [
      'a certificate alone',
      () => ({ TEMPORAL_TLS_CLIENT_CERT_PATH: files.cert }),
      /^TEMPORAL_TLS_CLIENT_KEY_PATH: is required/,
    ],
    ['a key alone', () => ({ TEMPORAL_TLS_CLIENT_KEY_DATA: pem.key }), /^TEMPORAL_TLS_CLIENT_CERT_PATH: is required/],
    [
      'the key of another certificate',
      () => ({ TEMPORAL_TLS_CLIENT_CERT_PATH: files.cert, TEMPORAL_TLS_CLIENT_KEY_PATH: files.otherKey }),
      /^TEMPORAL_TLS_CLIENT_KEY_PATH: is not the key of TEMPORAL_TLS_CLIENT_CERT_PATH$/,
    ],
    [
      'a certificate as key',
      () => ({ TEMPORAL_TLS_CLIENT_CERT_PATH: files.cert, TEMPORAL_TLS_CLIENT_KEY_PATH: files.cert }),
      /^TEMPORAL_TLS_CLIENT_KEY_PATH: holds no private key/,
    ],
    [
      'path and data',
      () => ({ TEMPORAL_TLS_CLIENT_CERT_PATH: files.cert, TEMPORAL_TLS_CLIENT_CERT_DATA: pem.cert }),
      /^TEMPORAL_TLS_CLIENT_CERT_PATH: is set, and so is TEMPORAL_TLS_CLIENT_CERT_DATA/,
    ],
    [
      'no check of the name',
      () => ({ TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' }),
      /^TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: is not supported; set TEMPORAL_TLS_SERVER_NAME/,
    ],
    [
      'a header',
      () => ({ TEMPORAL_GRPC_META_X_ONE: 'hush\nhush' }),
      /^TEMPORAL_GRPC_META_X_ONE: may hold visible ASCII/,
    ],
    ['a binary header', () => ({ TEMPORAL_GRPC_META_X_BIN: 'hush' }), /^TEMPORAL_GRPC_META/],
    ['an API key', () => ({ TEMPORAL_API_KEY: 'hush\nhush' }), /^TEMPORAL_API_KEY: may hold visible ASCII/],
    ['TLS', () => ({ TEMPORAL_TLS: 'maybe' }), /^TEMPORAL_TLS: must be one of/],
    [
      'a missing configuration file',
      () => ({ TEMPORAL_CONFIG_FILE: '/nowhere' }),
      /^TEMPORAL_CONFIG_FILE: cannot be read: \/nowhere \(ENOENT\)$/,
    ],
    ['a missing profile', () => ({ TEMPORAL_PROFILE: 'hers' }), /^TEMPORAL_PROFILE: there is no profile 'hers'/],
    [
      'a missing profile of a file without any',
      () => ({ TEMPORAL_PROFILE: 'hers', TEMPORAL_CONFIG_FILE: tomlFile('').file }),
      /^TEMPORAL_PROFILE: there is no profile 'hers'/,
    ],
  ])('%s', (_name, env, says) => {
    const said = mistakes({ ...at, ...env() });
    expect(said).toEqual([expect.stringMatching(says)]);
    expect(said.join()).not.toContain('hush');
    expect(said.join()).not.toContain(pem.key.split('\n')[1]);
  });

  test.each<[string, RegExp]>([
    ['[profile.default]\napi_key = "hush', /is not valid TOML \(line \d+, column \d+\)$/],
    ['[profile.default]\napi_kye = "hush"', /unrecognized in profile\.default: api_kye$/],
    ['[profile.default]\naddress = 7233', /^address in Temporal's configuration file: must be a string$/],
    ['[profile.default]\naddress = "hush"', /^address in Temporal's configuration file: must be host:port$/],
    ['[profile.default.tls]\ndisabled = "no"', /disabled in Temporal's configuration file: must be a boolean$/],
    [
      '[profile.default.tls]\nclient_cert_path = "/nowhere"',
      /^TEMPORAL_TLS_CLIENT_KEY_PATH: is required with client_cert/,
    ],
    [
      '[profile.default.tls]\nserver_ca_cert_path = "/nowhere"',
      /^server_ca_cert in Temporal's configuration file: cannot be read: \/nowhere/,
    ],
    ['profile = 3', /profile must be a table$/],
    ['[profile]\ndefault = "hush"', /must be a table$/],
  ])('in the file: %j', (text, says) => {
    const said = mistakes({ ...tomlFile(text).home });
    expect(said).toEqual([expect.stringMatching(says)]);
    expect(said.join()).not.toContain('hush');
  });

  test('a worker without an address is refused', () => {
    expect(mistakes({})).toEqual([expect.stringMatching(/^TEMPORAL_ADDRESS: the role 'worker' needs/)]);
    expect(mistakes({}, 'api')).toEqual([]);
  });
});
