import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { daysAgo } from './days-ago.ts';

let gateway: TestGateway;
afterAll(() => gateway.stop());

const list = '/admin/audit-logs';
const sql = (text: string, values: unknown[] = []) => gateway.rows(text, values);
const request = (method: string, path: string) => gateway.admin.request(method, path);
const purge = (query = '') => request('DELETE', `${list}${query}`);

describe('invalid parameters', () => {
  beforeAll(async () => {
    gateway = await startGateway({ worker: false });
    await daysAgo(1_000, async () => {
      for (let n = 0; n < 2; n++) await request('GET', '/admin/accounts?unknown=1');
    });
  });

  test.each([
    ['older_than_days=6', 'older_than_days'],
    ['older_than_days=0', 'older_than_days'],
    ['older_than_days=-90', 'older_than_days'],
    ['older_than_days=7.5', 'older_than_days'],
    ['older_than_days=36501', 'older_than_days'],
    ['older_than_days=1e2', 'older_than_days'],
    ['older_than_days=ninety', 'older_than_days'],
    ['older_than_days=', 'older_than_days'],
    ['older_than_days=90&older_than_days=7', 'older_than_days'],
    ['days=7', 'days'],
  ])('a purge with %s is 422 and deletes nothing', async (query, path) => {
    const count = 'select count(*)::integer as n from audit_logs';
    const [before] = await sql(count);
    expect(await purge(`?${query}`)).toMatchObject({ status: 422, body: { code: 'invalid', errors: [{ path }] } });
    expect(await sql(count)).toEqual([{ n: before?.n + 1 }]);
  });

  const seal = 'a'.repeat(64);
  test.each([
    ['nothing', ''],
    ['a place without a seal', '5'],
    ['an empty seal', '5:'],
    ['no place', `:${seal}`],
    ['the place 0', `0:${seal}`],
    ['a negative place', `-1:${seal}`],
    ['a fractional place', `1.5:${seal}`],
    ['a huge place', `${'9'.repeat(16)}:${seal}`],
    ['a short seal', `5:${seal.slice(1)}`],
    ['a long seal', `5:${seal}a`],
    ['a seal that is not hexadecimal', `5:${'g'.repeat(64)}`],
    ['a NUL', `5:${seal}%00`],
    ['a trailing line break', `5:${seal}%0a`],
    ['two', `5:${seal}&head=5:${seal}`],
  ])('a head of %s is 422', async (_name, head) => {
    const { status, body } = await request('GET', `${list}/verify?head=${head}`);
    expect([status, body.code, body.errors?.map(({ path }: { path: string }) => path)]).toEqual([
      422,
      'invalid',
      ['head'],
    ]);
  });
});
