import { expect, test } from 'vitest';
import { maxConsumers } from '../../src/consumers/consumer-rules.ts';
import type { Answer } from '../support/admin-client.ts';
import { entriesOf } from '../support/audit.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';
import { consumersOf, iso } from './support.ts';

// Concurrent changes by operators: no change is lost, limits hold, and each change has one audit entry.

const gateway = useGateway({ worker: false });

const operators = 10;
const times = <T>(count: number, make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted();
const created = (answers: Answer[]) => answers.filter(({ status }) => status === 201);

async function newConsumers() {
  const { id } = await gateway.admin.createAccount({});
  return { id, consumers: consumersOf(gateway, id) };
}
const revisionOf = async (id: string) =>
  Number((await gateway.rows('select consumers_revision as n from accounts where id = $1', [id]))[0]?.n);

test('of creates with one name, one succeeds', async () => {
  const { id, consumers } = await newConsumers();
  const answers = await times(operators, () => consumers.post({ name: 'billing', url: 'https://a.test/' }));
  expect(statuses(answers)).toEqual([201, ...Array(operators - 1).fill(422)]);
  expect(await consumers.names()).toEqual(['default', 'billing']);
  expect(await revisionOf(id)).toBe(1);
});

test('the limit holds', async () => {
  const { id, consumers } = await newConsumers();
  for (let n = 2; n < maxConsumers; n++) await consumers.made(`c-${n}`);
  const answers = await times(operators, (n) => consumers.post({ name: `late-${n}`, url: 'https://a.test/' }));
  expect(created(answers)).toHaveLength(1);
  expect(statuses(answers)).toEqual([201, ...Array(operators - 1).fill(422)]);
  expect(await consumers.names()).toHaveLength(maxConsumers);
  expect(await revisionOf(id)).toBe(maxConsumers - 1);
});

test('the row of `default` is made once, and no change is lost', async () => {
  const { id, consumers } = await newConsumers();
  const answers = await Promise.all([
    ...(await times(operators, (n) => consumers.patch('default', { condition: `event_type == "${n}"` }))),
    consumers.patch('default', { enabled: false }),
    consumers.pause('default', { reason: 'later' }),
  ]);
  expect(statuses(answers)).toEqual(Array(operators + 2).fill(200));
  expect((await consumers.get('default')).body).toMatchObject({
    ...{ enabled: false, condition: expect.stringMatching(/^event_type == "\d"$/), paused: { reason: 'later' } },
  });
  expect(await revisionOf(id)).toBe(operators + 2);
  expect(await entriesOf(gateway.database, id, 'consumer.update')).toHaveLength(operators + 1);
});

test('rotations of the account and changes of `default` make its row once, and none is lost', async () => {
  const owners = ['delivery_secret', 'project_delivery_secret'] as const;
  const old = { delivery_secret: secretText('old'), project_delivery_secret: secretText('old') };
  const { id } = await gateway.admin.createAccount(old);
  const consumers = consumersOf(gateway, id);
  const rotate = (field: string) =>
    gateway.admin.request('PATCH', `/admin/accounts/${id}`, { [field]: secretText('new'), rotate: true });
  const answers = await Promise.all([
    ...owners.map(rotate),
    consumers.patch('default', { authentication: { type: 'bearer', token: secretText('token') } }),
    consumers.patch('default', { timeout: '30s' }),
  ]);
  expect(statuses(answers)).toEqual(Array(4).fill(200));
  const { body } = await gateway.admin.request('GET', `/admin/accounts/${id}`);
  for (const field of owners) expect(body[`${field}_previous_expires_at`]).toEqual(iso);
  expect((await consumers.get('default')).body).toMatchObject({ authentication: { type: 'bearer' }, timeout: '30s' });
});

test('a deleted account has no new consumers, and none is changed after it', async () => {
  const { id, consumers } = await newConsumers();
  await consumers.made('billing');
  const [gone, ...answers] = await Promise.all([
    gateway.admin.request('DELETE', `/admin/accounts/${id}`),
    ...Array.from({ length: operators }, (_, n) => consumers.post({ name: `c-${n}`, url: 'https://a.test/' })),
    ...Array.from({ length: operators }, () => consumers.patch('billing', { enabled: false })),
    consumers.delete('billing'),
  ]);
  expect(gone?.status).toBe(204);
  for (const { status } of answers) expect([200, 201, 204, 404]).toContain(status);
  const rows = await gateway.rows('select name from consumers where account_id = $1', [id]);
  expect(rows).toHaveLength(1 + created(answers).length);
});

test('renames to one name: one succeeds', async () => {
  const { consumers } = await newConsumers();
  for (let n = 0; n < operators; n++) await consumers.made(`c-${n}`);
  const answers = await times(operators, (n) => consumers.patch(`c-${n}`, { name: 'billing' }));
  expect(statuses(answers)).toEqual([200, ...Array(operators - 1).fill(422)]);
  expect((await consumers.names()).filter((name) => name === 'billing')).toHaveLength(1);
});
