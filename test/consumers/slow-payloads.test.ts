import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { collectLines } from '../support/runtime.ts';
import { useGateway } from '../support/use-gateway.ts';

// Payloads that are made to be slow, with the most consumers that an account can have: the work is bounded by counts
// (docs/notifications.md, "Conditions").

const gateway = useGateway({ worker: false });
const exceeded = collectLines('condition of a consumer needs too much work for a webhook, it counts as met');

const conditions = [
  'matches(payload.text, "(a+)+b$")',
  'matches(payload.text, "(x|y|z)*q") or matches(payload.other, "^.*.*.*c$")',
  'payload.text.contains("never") or payload.text == payload.other',
  `payload${'.a'.repeat(100)} == 1`,
  `payload${'[0]'.repeat(100)} == 1`,
  'payload.number > 1 or payload.number == 9007199254740993',
  'exists(payload["k-99999"]) and payload.list[99999] != 1',
  'header["x-long"].contains("never")',
];

async function accountWith(count: number, condition: (n: number) => string) {
  const account = await gateway.admin.createAccount({ delivery_url: 'http://127.0.0.1:9/hook' });
  for (let n = 1; n < count; n++) {
    const body = { name: `c-${n}`, url: 'http://127.0.0.1:9/hook', condition: condition(n) };
    const created = await gateway.admin.post(`/admin/accounts/${account.id}/consumers`, body);
    expect(created.status, JSON.stringify(created.body)).toBe(201);
  }
  return account;
}

const fields = (count: number) => Array.from({ length: count }, (_, n) => `"k-${n}":${n}`).join(',');
const megabyte = 1_000_000;

const bodies: [what: string, body: string][] = [
  ['nested deeper than JSON may be read', '['.repeat(megabyte)],
  ['closed nesting beyond the limit', '['.repeat(300_000) + ']'.repeat(300_000)],
  ['nesting within the limit', `${'{"a":'.repeat(480)}1${'}'.repeat(480)}`],
  ['the most fields', `{${fields(60_000)}}`],
  ['more values than are read', `[${'1,'.repeat(400_000)}1]`],
  ['a key that is repeated', `{${'"a":1,'.repeat(90_000)}"a":2}`],
  ['a long text', JSON.stringify({ text: 'a'.repeat(megabyte), other: 'a'.repeat(10) })],
  ['two long texts', JSON.stringify({ text: 'a'.repeat(500_000), other: 'a'.repeat(500_000) })],
  ['a number of a million digits', `{"number":${'9'.repeat(megabyte)}}`],
  ['many large numbers', `{"number":9007199254740993,"list":[${'9007199254740993,'.repeat(50_000)}1]}`],
  ['an exponent beyond all numbers', '{"number":1e999999999}'],
  ['escapes', `{"text":"${'\\u0061'.repeat(150_000)}"}`],
];

const heapMiB = () => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

test('payloads made to be slow are answered 202, and no memory is kept', async () => {
  const account = await accountWith(25, (n) => conditions[n % conditions.length] ?? '');
  const headers = { 'content-type': 'application/json', 'x-long': 'a'.repeat(8_000) };
  const sendAll = async () => {
    for (const [what, body] of bodies) {
      const answer = await gateway.send(account, body, headers);
      expect([what, answer.status]).toEqual([what, 202]);
    }
    const answers = await Promise.all(bodies.map(([, body]) => gateway.send(account, body, headers)));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 202));
  };
  // The first round fills caches.
  await sendAll();
  const beforeMiB = heapMiB();
  for (let n = 0; n < 3; n++) await sendAll();
  expect(heapMiB() - beforeMiB).toBeLessThan(32);
});

test('conditions beyond the limit count as met, and one line in the log says so', async () => {
  // Of 8,192 characters for patterns, one consumer takes 5,000, and none is left for a second one.
  const account = await accountWith(25, () => 'matches(payload.text, "b$")');
  for (let n = 0; n < 3; n++) {
    const answer = await gateway.send(account, JSON.stringify({ id: `long-${n}`, text: 'a'.repeat(5_000) }));
    expect(answer.status).toBe(202);
    const rows = await gateway.rows(
      `select (select count(*)::integer from events where coalesce(request_id, id) = $1) as events, unmatched
       from event_payloads where event_id = $1`,
      [answer.body.id],
    );
    expect(rows).toEqual([{ events: 24, unmatched: ['c-1'] }]);
  }
  expect(exceeded).toHaveLength(1);
});
