import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { startConsumer } from '../support/consumer.ts';
import { useGateway } from '../support/use-gateway.ts';

let path: string;
const gateway = useGateway({ worker: false });
beforeAll(async () => {
  path = `/admin/accounts/${(await gateway.admin.createAccount({})).id}/destinations`;
});

const create = (destination_type: string, config: object) =>
  gateway.admin.post(path, { destination_type, name: 'n', config });
const patch = (id: string, change: object) => gateway.admin.request('PATCH', `${path}/${id}`, change);

test.each([
  ['webhook', 'url'],
  ['chat_one', 'webhook_url'],
  ['chat_two', 'webhook_url'],
])(
  '%s: credentials of a URL are masked, kept when the masked URL is sent back, and never moved to another host',
  async (type, field) => {
    const consumer = await startConsumer();
    const at = (credentials: string, rest: string) => ({
      [field]: `http://${credentials}@127.0.0.1:${consumer.port}/${rest}`,
    });
    onTestFinished(() => consumer.close());
    const created = await create(type, at('me:very-secret', 'in'));
    expect(created).toMatchObject({ status: 201, body: { config: at('[masked]', 'in') } });
    const { id } = created.body;
    expect((await patch(id, { config: at('[masked]', 'in') })).body.config).toEqual(created.body.config);
    const moved = await patch(id, { config: at('[masked]', 'other') });
    expect(moved.body.config).toMatchObject(at('[masked]', 'other'));
    await gateway.admin.post(`${path}/${id}/test`);
    expect(consumer.deliveries[0]).toMatchObject({
      url: '/other',
      headers: { authorization: `Basic ${Buffer.from('me:very-secret').toString('base64')}` },
    });
    for (const config of [{ [field]: 'http://[masked]@127.0.0.1:9/in' }, at('me:[masked]', 'in')])
      expect(await patch(id, { config })).toMatchObject({
        status: 422,
        body: { errors: [{ path: `config.${field}` }] },
      });
    expect((await create(type, at('[masked]', 'in'))).status).toBe(422);
    const { body: listed } = await gateway.admin.request('GET', path);
    expect(JSON.stringify([created, moved, listed])).not.toContain('very-secret');
  },
);
