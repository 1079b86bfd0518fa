import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { connectionOptions } from '../../src/database/connection-options.ts';
import { isDatabaseError } from '../../src/database/errors.ts';
import { explainDatabaseError } from '../../src/database/explain-error.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { StartError } from '../../src/shared/start-error.ts';
import { freshDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { type Authority, filesOf, lastYear, newAuthority } from '../support/tls/certificates.ts';
import { recordedWay, sslRequest } from '../support/tls/recorded-way.ts';
import { type TlsPostgres, tlsPostgres } from '../support/tls/tls-postgres.ts';

gatewaysEndWithTheirTest();
const log = createLog('silent');
let authority: Authority;
let server: TlsPostgres;
let url: string;
let files: Record<'right' | 'other' | 'bundle' | 'cert' | 'key' | 'strangeCert' | 'strangeKey', string>;
const end: (() => void)[] = [];
beforeAll(async () => {
  authority = await newAuthority();
  const other = await newAuthority('Another authority');
  const client = await authority.issue({ commonName: 'a client' });
  const stranger = await other.issue({ commonName: 'a client' });
  files = filesOf(
    {
      ...{ right: authority.cert, other: other.cert, bundle: `${other.cert}\n${authority.cert}` },
      ...{ cert: client.cert, key: client.key, strangeCert: stranger.cert, strangeKey: stranger.key },
    },
    (work) => end.push(work),
  );
  server = await tlsPostgres(await authority.issue({ addresses: ['127.0.0.1'] }), authority.cert);
  url = await server.database();
});
afterAll(async () => {
  await server?.stop();
  for (const work of end) work();
});

const withParameters = (base: string, parameters: Record<string, string>, changes: Partial<URL> = {}) => {
  const changed = Object.assign(new URL(base), changes);
  changed.searchParams.delete('sslmode');
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
  return changed.href;
};

/** Whether each of the gateway's pools uses TLS. */
async function overTls(address: string): Promise<boolean[]> {
  const database = await openDatabase({ url: address, log });
  const statement = { name: '', text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()' };
  try {
    const [main] = await database.query<{ ssl: boolean }>(statement, []);
    const [reader] = await database.reader.query<{ ssl: boolean }>(statement, []);
    const [entities] = await database.orm.em.fork().execute<{ ssl: boolean }[]>(statement.text);
    return [main, reader, entities].map((row) => row?.ssl === true);
  } finally {
    await database.close();
  }
}
const yes = [true, true, true];

/** The message with which the start fails. Also checks that the password was not sent over the network. */
async function refusal(address: string): Promise<string> {
  const way = await recordedWay(address);
  onTestFinished(() => way.close());
  const through = way.through(address, new URL(address).hostname);
  const client = new pg.Client(connectionOptions(through));
  client.on('error', () => undefined);
  const error = await client.connect().then(
    () => null,
    (failure: unknown) => failure,
  );
  await client.end().catch(() => undefined);
  expect(isDatabaseError(error)).toBe(true);
  expect(way.seen.length).toBeGreaterThan(0);
  const { password } = new URL(address);
  for (const { sent } of way.seen) {
    expect(sent.subarray(0, sslRequest.length)).toEqual(sslRequest);
    expect(sent.includes(password)).toBe(false);
    // The first PostgreSQL message contains the user's name, so none was sent in clear text.
    expect(sent.includes('gateway')).toBe(false);
  }
  const explained = explainDatabaseError(through, error);
  if (!(explained instanceof StartError)) throw new Error('the error is not explained', { cause: explained });
  expect(explained.message).not.toContain(password);
  expect(explained.message).toContain('DATABASE_URL');
  return explained.message;
}

describe('a certificate for the address in DATABASE_URL', () => {
  test.each<[name: string, parameters: () => Record<string, string>]>([
    ['verify-full', () => ({ sslmode: 'verify-full', sslrootcert: files.right })],
    ['verify-ca', () => ({ sslmode: 'verify-ca', sslrootcert: files.right })],
    ['require with the authority', () => ({ sslmode: 'require', sslrootcert: files.right })],
    ['a bundle of authorities', () => ({ sslmode: 'verify-full', sslrootcert: files.bundle })],
    ['require without an authority', () => ({ sslmode: 'require' })],
    ['prefer', () => ({ sslmode: 'prefer' })],
    ['no mode', () => ({})],
    [
      'a client certificate that the server does not ask for',
      () => ({ sslmode: 'require', sslcert: files.cert, sslkey: files.key }),
    ],
  ])('%s connects over TLS', async (_name, parameters) => {
    expect(await overTls(withParameters(url, parameters()))).toEqual(yes);
  });

  test('disable is refused by this server', async () => {
    await expect(overTls(withParameters(url, { sslmode: 'disable' }))).rejects.toThrow('no encryption');
  });

  test.each(['verify-full', 'verify-ca', 'require'])('%s with another authority is refused', async (sslmode) => {
    const said = await refusal(withParameters(url, { sslmode, sslrootcert: files.other }));
    expect(said).toContain('sslrootcert');
  });

  test.each<Record<string, string>>([{ sslmode: 'verify-full' }, { sslmode: 'verify-ca' }, { sslrootcert: 'system' }])(
    "%j: the machine's authorities did not sign it",
    async (parameters) => {
      expect(await refusal(withParameters(url, parameters))).toContain('sslrootcert');
    },
  );

  test('large rows in both directions arrive whole, with prefer too', async () => {
    for (const sslmode of ['prefer', 'require']) {
      const database = await openDatabase({ url: withParameters(url, { sslmode }), log });
      const text = 'x'.repeat(5_000_000);
      const [row] = await database.query<{ text: string }>({ name: '', text: 'select $1::text as text' }, [text]);
      expect(row?.text === text).toBe(true);
      await database.close();
    }
  });

  test('with prefer, the pool replaces a connection that the server has closed', async () => {
    const database = await openDatabase({ url: withParameters(url, {}), log });
    const end = { name: '', text: 'select pg_terminate_backend(pg_backend_pid())' };
    await expect(database.query(end, [])).rejects.toSatisfy(isDatabaseError);
    expect(await database.query({ name: '', text: 'select 1 as one' }, [])).toEqual([{ one: 1 }]);
    await database.close();
  });
});

describe('invalid certificates', () => {
  test('a certificate for another name: verify-full refuses it, verify-ca accepts it', async () => {
    await server.show(await authority.issue({ hosts: ['db.example.com', 'localhost'] }));
    const full = { sslmode: 'verify-full', sslrootcert: files.right };
    expect(await refusal(withParameters(url, full))).toMatch(/is not for 127\.0\.0\.1.*verify-ca/s);
    expect(await overTls(withParameters(url, { ...full, sslmode: 'verify-ca' }))).toEqual(yes);
    expect(await overTls(withParameters(url, full, { hostname: 'localhost' }))).toEqual(yes);
  });

  test('an expired certificate is refused by every mode that verifies', async () => {
    await server.show(await authority.issue({ addresses: ['127.0.0.1'] }, lastYear));
    for (const sslmode of ['verify-full', 'verify-ca', 'require'])
      expect(await refusal(withParameters(url, { sslmode, sslrootcert: files.right }))).toContain('expired');
    expect(await overTls(withParameters(url, { sslmode: 'require' }))).toEqual(yes);
  });
});

describe('a role that needs a client certificate', () => {
  const role = { username: 'with_certificate', password: 'own' };
  beforeAll(async () => server.show(await authority.issue({ addresses: ['127.0.0.1'] })));
  const say = async (parameters: Record<string, string>) => {
    const address = withParameters(url, { sslmode: 'verify-full', sslrootcert: files.right, ...parameters }, role);
    const error = await overTls(address).then(
      () => null,
      (failure: unknown) => failure,
    );
    if (error === null) return null;
    const explained = explainDatabaseError(address, error);
    return explained instanceof StartError ? explained.message : explained;
  };

  test('the right certificate connects', async () => {
    expect(await say({ sslcert: files.cert, sslkey: files.key })).toBeNull();
  });

  test('no certificate, and one of another authority, fail with an explanation', async () => {
    expect(await say({})).toMatch(/sslcert and sslkey/);
    expect(await say({ sslcert: files.strangeCert, sslkey: files.strangeKey })).toMatch(/sslcert/);
  });
});

test('with prefer, many connections at once work while others are ended during the handshake', async () => {
  const clients = Array.from({ length: 40 }, () => new pg.Client(connectionOptions(withParameters(url, {}))));
  const ends = await Promise.allSettled(
    clients.map(async (client, index) => {
      client.on('error', () => undefined);
      const connected = client.connect();
      connected.catch(() => undefined);
      if (index % 4 === 0) {
        await sleep(index);
        return client.end();
      }
      await connected;
      const { rows } = await client.query('select $1::int as index', [index]);
      await client.end();
      return rows;
    }),
  );
  const answers = ends.filter((_, index) => index % 4 !== 0);
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 'fulfilled'));
});

describe('a PostgreSQL without TLS', () => {
  test.each(['require', 'verify-ca', 'verify-full'])('%s is refused, and the password is not sent', async (sslmode) => {
    const address = withParameters(await freshDatabase(), { sslmode });
    const said = await refusal(address);
    expect(said).toMatch(new RegExp(`has no TLS.*sslmode=${sslmode}`, 's'));
  });

  test('prefer, the default, and disable connect in clear text', async () => {
    const address = inject('postgresUrl');
    const each: Record<string, string>[] = [{}, { sslmode: 'prefer' }, { sslmode: 'disable' }];
    for (const parameters of each)
      expect(await overTls(withParameters(address, parameters))).toEqual([false, false, false]);
  });
});
