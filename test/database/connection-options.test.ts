import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { connectionOptions, databaseUrlMistake, placeOf } from '../../src/database/connection-options.ts';
import { StartError } from '../../src/shared/start-error.ts';
import { filesOf, newAuthority } from '../support/tls/certificates.ts';

type Name = 'ca' | 'cert' | 'key' | 'otherKey' | 'encrypted' | 'damaged' | 'empty';
let files: Record<Name, string>;
const end: (() => void)[] = [];
beforeAll(async () => {
  const authority = await newAuthority();
  const [client, other] = [await authority.issue({ commonName: 'a' }), await authority.issue({ commonName: 'b' })];
  const { private: encrypted } = await generate([{ name: 'commonName', value: 'a' }], {
    passphrase: 'hush',
    algorithm: 'sha256',
  });
  files = filesOf(
    {
      ...{ ca: authority.cert, cert: client.cert, key: client.key, otherKey: other.key, encrypted, empty: '' },
      damaged: authority.cert.replace(/^M.{20}/m, 'MIIBhushhushhushhushh'),
    },
    (work) => end.push(work),
  );
});
afterAll(() => {
  for (const work of end) work();
});

const url = (parameters: Record<string, string>) =>
  `postgresql://user:hush@h:5433/d?${new URLSearchParams(parameters).toString()}`;
const supported =
  'supported are sslmode, sslrootcert, sslcert, sslkey, with sslmode one of disable, prefer, require, verify-ca, verify-full';

describe('an invalid URL stops the start, and the message contains no password', () => {
  test.each<[Record<string, string>, string | RegExp]>([
    [{ sslmode: 'allow' }, `has an unknown sslmode 'allow'; ${supported}`],
    [{ sslmode: 'VERIFY-FULL' }, /unknown sslmode 'VERIFY-FULL'/],
    [{ sslmode: 'no-verify' }, /unknown sslmode 'no-verify'/],
    [{ sslmode: '' }, `has an empty sslmode; ${supported}`],
    [{ sslmode: 'verify-full', sslrootcert: '' }, /empty sslrootcert/],
    [{ sslpassword: 'hush' }, `has the parameter sslpassword, which is not supported; ${supported}`],
    ...['sslcrl', 'sslcrldir', 'sslcertmode', 'sslsni', 'ssl', 'SSLMODE', 'sslMode', 'ssl_min_protocol_version'].map(
      (name): [Record<string, string>, RegExp] => [
        { [name]: '1' },
        new RegExp(`has the parameter ${name}, which is not`),
      ],
    ),
    ...['require_auth', 'requirepeer', 'requiressl', 'hostaddr', 'service', 'passfile'].map(
      (name): [Record<string, string>, RegExp] => [
        { [name]: '1' },
        new RegExp(`has the parameter ${name}, which is not`),
      ],
    ),
    [{ sslnegotiation: 'direct' }, /has the parameter sslnegotiation/],
    [{ channel_binding: 'require' }, /has the parameter channel_binding/],
    [{ gssencmode: 'require' }, /has the parameter gssencmode/],
    [{ sslrootcert: '/nowhere' }, /sslrootcert, which sslmode=prefer \(the default\) would not check/],
    [{ sslmode: 'disable', sslrootcert: '/nowhere' }, /sslrootcert, which sslmode=disable would not check/],
    [{ sslmode: 'require', sslrootcert: 'system' }, /sslrootcert=system, which needs sslmode=verify-full/],
    [{ sslmode: 'verify-full', sslrootcert: '/nowhere' }, 'has an sslrootcert that cannot be read: /nowhere (ENOENT)'],
    [{ sslmode: 'verify-full', sslrootcert: '/' }, /sslrootcert that must be a file/],
    [{ sslmode: 'verify-full', sslrootcert: '/dev/zero' }, /sslrootcert that must be a file/],
    [{ sslmode: 'require', sslcert: '/nowhere' }, 'has sslcert without sslkey'],
    [{ sslmode: 'require', sslkey: '/nowhere' }, 'has sslkey without sslcert'],
    [{ sslmode: 'disable', sslcert: 'a', sslkey: 'b' }, /sslmode=disable never shows it/],
  ])('%j', (parameters, says) => {
    const said = databaseUrlMistake(url(parameters));
    if (typeof says === 'string') expect(said).toBe(says);
    else expect(said).toMatch(says);
    expect(said).not.toContain('hush');
    expect(() => connectionOptions(url(parameters))).toThrow(StartError);
    expect(() => readConfig('migrate', { DATABASE_URL: url(parameters) })).toThrow(`  - DATABASE_URL: ${said}`);
  });

  test.each<[name: string, parameters: () => Record<string, string>, says: RegExp]>([
    ['an authority that is empty', () => ({ sslrootcert: files.empty }), /sslrootcert that holds no certificate/],
    ['an authority that is a key', () => ({ sslrootcert: files.key }), /sslrootcert that holds no certificate/],
    ['a damaged authority', () => ({ sslrootcert: files.damaged }), /sslrootcert that holds a damaged certificate/],
    [
      'a certificate that is a key',
      () => ({ sslcert: files.key, sslkey: files.key }),
      /sslcert that holds no certificate/,
    ],
    [
      'a key that is a certificate',
      () => ({ sslcert: files.cert, sslkey: files.cert }),
      /sslkey that holds no private key/,
    ],
    ['the key of another', () => ({ sslcert: files.cert, sslkey: files.otherKey }), /sslkey that is not the key of/],
    [
      'a key with a passphrase',
      () => ({ sslcert: files.cert, sslkey: files.encrypted }),
      /sslkey that is encrypted.*openssl pkey/,
    ],
    ['a key that is missing', () => ({ sslcert: files.cert, sslkey: '/nowhere' }), /sslkey that cannot be read/],
  ])('%s', (_name, parameters, says) => {
    const said = databaseUrlMistake(url({ sslmode: 'verify-full', ...parameters() }));
    expect(said).toMatch(says);
    expect(said).not.toContain('hush');
  });

  test('verify-full without a host', () => {
    expect(databaseUrlMistake('postgresql:///d?sslmode=verify-full')).toMatch(/no host/);
  });
});

test.each<Record<string, string>>([
  { sslnegotiation: 'postgres' },
  { channel_binding: 'prefer' },
  { channel_binding: 'disable' },
  { gssencmode: 'disable' },
  { uselibpqcompat: 'true', sslmode: 'require' },
  { connect_timeout: '10' },
])('%j is accepted, because it asks for what the gateway does anyway', (parameters) => {
  expect(databaseUrlMistake(url(parameters))).toBeNull();
});

test('the last of several sslmode parameters counts, as in libpq', () => {
  expect(databaseUrlMistake(`${url({ sslmode: 'allow' })}&sslmode=disable`)).toBeNull();
  expect(connectionOptions(`${url({ sslmode: 'require' })}&sslmode=disable`).ssl).toBe(false);
});

test('PGSSLMODE is only used for a DATABASE_URL without sslmode', () => {
  const databaseUrl = (text?: string) =>
    readConfig('all', { PGSSLMODE: 'require', ...(text === undefined ? {} : { DATABASE_URL: text }) }).databaseUrl;
  expect(databaseUrl('postgres://u:p%40@h/d')).toBe('postgres://u:p%40@h/d?sslmode=require');
  expect(databaseUrl('postgres://h/d?sslmode=disable')).toBe('postgres://h/d?sslmode=disable');
  expect(databaseUrl()).toBeNull();
  expect(() => readConfig('migrate', { DATABASE_URL: 'postgres://h/d', PGSSLMODE: 'allow' })).toThrow(
    "sslmode 'allow'",
  );
});

describe('parameters that are not about TLS', () => {
  test('a URL with all its parts', () => {
    expect(connectionOptions('postgres://u%40x:p%3A%2Fw@[::1]:5433/d%20b?sslmode=disable')).toMatchObject({
      ...{ user: 'u@x', password: 'p:/w', host: '::1', port: 5433, database: 'd b', ssl: false },
    });
  });

  test.each([
    'postgresql://u:p@%2Fvar%2Frun%2Fpostgresql/d?sslmode=verify-full',
    'postgresql:///d?host=/var/run/postgresql&user=u&password=p&sslmode=require',
    'postgresql:///d?host=%2Fvar%2Frun%2Fpostgresql&user=u&password=p',
  ])('a Unix socket has no TLS: %s', (text) => {
    expect(connectionOptions(text)).toMatchObject({
      ...{ user: 'u', password: 'p', host: '/var/run/postgresql', database: 'd', ssl: false },
    });
    expect(connectionOptions(text).stream).toBeUndefined();
    expect(placeOf(text)).toEqual({ server: '/var/run/postgresql', database: 'd' });
  });

  test("options of the URL go before the gateway's, and its application_name replaces the gateway's", () => {
    const text = url({ options: '-c search_path=x', application_name: 'theirs', sslmode: 'disable' });
    expect(connectionOptions(text, { options: '-c jit=off', application_name: 'ours' })).toMatchObject({
      ...{ options: '-c search_path=x -c jit=off', application_name: 'theirs' },
    });
  });

  test.each([
    ['postgres://h/d', { server: 'h:5432', database: 'd' }],
    ['postgres://h:1/d', { server: 'h:1', database: 'd' }],
    ['postgres:///d', { server: 'localhost:5432', database: 'd' }],
  ])('the place of %s', (text, place) => {
    expect(placeOf(text)).toEqual(place);
  });
});
