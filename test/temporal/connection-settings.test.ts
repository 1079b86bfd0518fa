import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesOf, newAuthority } from '../support/tls/certificates.ts';
import { at, type Env, mistakes, temporal, tomlFile } from './settings.ts';

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
