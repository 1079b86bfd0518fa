import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest, consumerForTest } from '../support/consumer.ts';
import { migratedDatabase } from '../support/database.ts';
import { startedFolder, startWholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest, temporaryFolder } from '../support/gateway-process.ts';
import { allDelivered, gatewayRoles } from '../support/gateway-roles.ts';
import { askMaintenance } from '../support/maintenance.ts';
import { filesOf, newAuthority } from '../support/tls/certificates.ts';
import { mutualTls } from '../support/tls/mutual-tls.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();

/** A Temporal that requires a client certificate, and the files of right and wrong certificates. */
async function guardedTemporal(names = { addresses: ['127.0.0.1'], hosts: [] as string[] }) {
  const [servers, clients, strangers] = await Promise.all(
    ['Servers', 'Clients', 'Strangers'].map((name) => newAuthority(`${name} of a test`)),
  );
  if (!servers || !clients || !strangers) throw new Error('there are three');
  const [server, client, stranger] = await Promise.all([
    servers.issue(names),
    clients.issue({ commonName: 'gateway' }),
    strangers.issue({ commonName: 'gateway' }),
  ]);
  const files = filesOf({
    ...{ ca: servers.cert, cert: client.cert, key: client.key },
    ...{ strangeCert: stranger.cert, strangeKey: stranger.key },
  });
  const address = await mutualTls(inject('temporalAddress'), server, clients.cert);
  const ca = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: files.ca };
  const right = { TEMPORAL_TLS_CLIENT_CERT_PATH: files.cert, TEMPORAL_TLS_CLIENT_KEY_PATH: files.key };
  const wrong = { TEMPORAL_TLS_CLIENT_CERT_PATH: files.strangeCert, TEMPORAL_TLS_CLIENT_KEY_PATH: files.strangeKey };
  return { address, files, ca, right, wrong, client };
}

async function rolesOn(temporalAddress: string, variables: Record<string, string>) {
  const roles = gatewayRoles({
    databaseUrl: await migratedDatabase(),
    temporalAddress,
    variables,
  });
  const consumer = await consumerForTest();
  return { roles, consumer };
}

test('with the right certificate workflows deliver events, and the api shows them', async () => {
  const { address, ca, right } = await guardedTemporal();
  const { roles, consumer } = await rolesOn(address, { ...ca, ...right, API_DELIVERS: 'false' });
  const [api] = await Promise.all([roles.startApi(), roles.startWorker()]);
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  const { body } = await send(api.baseUrl, account, '{"id":"one"}');
  await allDelivered(roles, 1);
  const { workflow } = await api.admin.eventually(body.id, (event) => event.workflow !== null);
  expect(workflow).toMatchObject({ id: `event-${body.id}` });
  expect((await askMaintenance(api, 'GET', '/admin/upkeep')).status).toBe(200);
});

test('with a profile in temporal.toml and a server name, events get workflows too', async () => {
  const { address, files } = await guardedTemporal({ addresses: [], hosts: ['temporal.test'] });
  const file = join(temporaryFolder('test'), 'temporal.toml');
  const paths = `client_cert_path = "${files.cert}"\nclient_key_path = "${files.key}"\nserver_ca_cert_path = "${files.ca}"`;
  const tls = `[profile.guarded.tls]\nserver_name = "temporal.test"\n${paths}\n`;
  writeFileSync(file, `[profile.guarded]\naddress = "${address}"\n${tls}`);
  const { roles, consumer } = await rolesOn('', { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'guarded' });
  const [api] = await Promise.all([roles.apiHere(), roles.workerHere()]);
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  const { body } = await send(api.baseUrl, account, '{"id":"one"}');
  await allDelivered(roles, 1);
  await api.admin.eventually(body.id, (event) => event.workflow !== null);
});

test.each<
  [name: string, use: (of: Awaited<ReturnType<typeof guardedTemporal>>) => Record<string, string>, says: RegExp]
>([
  ['none', ({ ca }) => ca, /TEMPORAL_TLS_CLIENT_CERT_PATH/],
  ['of another authority', ({ ca, wrong }) => ({ ...ca, ...wrong }), /TEMPORAL_TLS_CLIENT_CERT_PATH/],
  ["the server's authority not known", ({ right }) => right, /TEMPORAL_TLS_SERVER_CA_CERT_PATH/],
  [
    'with another expected server name',
    ({ ca, right }) => ({ ...ca, ...right, TEMPORAL_TLS_SERVER_NAME: 'other.test' }),
    /TEMPORAL_TLS_SERVER_NAME/,
  ],
  ['no TLS at all', ({ ca, right }) => ({ ...ca, ...right, TEMPORAL_TLS: 'false' }), /TEMPORAL_TLS/],
])(
  'with a client certificate %s the logs name the problem, and events are delivered without Temporal',
  async (_name, use, says) => {
    const temporal = await guardedTemporal();
    const { roles, consumer } = await rolesOn(temporal.address, use(temporal));
    const [api, worker] = await Promise.all([roles.apiHere(), roles.workerHere()]);
    // Each try says why it failed. On a busy machine, one may only have taken too long.
    const [line] = await worker.printed(
      new RegExp(`^.*"advice":".*${says.source}.*"msg":"Temporal unavailable, retrying.*$`, 'm'),
      'stderr',
    );
    expect(JSON.parse(line)).toMatchObject({ address: temporal.address, advice: expect.stringMatching(says) });
    const account = await api.admin.createAccount({ delivery_url: consumer.url });
    const { body } = await send(api.baseUrl, account, '{"id":"one"}');
    const delivered = await api.admin.eventually(body.id, (event) => event.delivery_status === 'delivered');
    expect(delivered).toMatchObject({ status: 'received', workflow: null });
    await until('the api says why Temporal could not be asked', async () => {
      expect((await api.admin.request('GET', '/admin/upkeep')).status).toBe(503);
      // Temporal's library does not always give the reason why a certificate was refused.
      return /Temporal could not be asked: .*TEMPORAL_TLS.*"msg":"admin call failed, Temporal unavailable/.test(
        api.stderr(),
      );
    });
    for (const said of [worker.stderr(), api.stderr()]) expect(said).not.toContain('PRIVATE KEY');
  },
);

test('npm start: settings for other Temporal servers do not affect its own server', async () => {
  const { address, right } = await guardedTemporal();
  const config = temporaryFolder('test');
  const file = join(config, 'temporal.toml');
  writeFileSync(file, `[profile.default]\naddress = "${address}"\nnamespace = "elsewhere"\napi_key = "secret"\n`);
  const gateway = await startWholeGateway(await startedFolder(), {
    DATABASE_URL: await migratedDatabase(),
    ...{ ...right, TEMPORAL_TLS: 'true', TEMPORAL_API_KEY: 'secret', TEMPORAL_CONFIG_FILE: file },
    TEMPORAL_GRPC_META_X_TEST: 'secret',
  });
  const { account } = await accountForTest(gateway.admin);
  const { body } = await send(gateway.baseUrl, account, '{"id":"one"}');
  const event = await gateway.admin.eventually(body.id, (e) => e.status === 'enqueued' && e.workflow !== null);
  expect(event.workflow?.url).toContain('/namespaces/default/');
});
