import { describe, expect, test } from 'vitest';
import { type Answer, answeredInTime } from '../support/admin-client.ts';
import { entriesAbout, entriesOf } from '../support/audit.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';

// Concurrent changes by operators: no change is lost, and the audit log has one entry with the outcome of each request.

const gateway = useGateway({ worker: false });

/**
 * A call waits at most 5 s for a connection to the database, and is then answered 503 without an effect. When PostgreSQL
 * stands still, many of these calls wait as long, and are sent again.
 */
const admin = (method: string, path: string, body?: unknown) =>
  answeredInTime(() => gateway.admin.request(method, `/admin${path}`, body));
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted();
const times = <T>(count: number, make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));
const newAccount = (fields: Record<string, unknown> = {}) => gateway.admin.createAccount(fields);
const chat = { destination_type: 'chat_one', name: 'chat', config: { webhook_url: 'https://ops.test/0' } };
const hook = {
  destination_type: 'webhook',
  name: 'hook',
  config: { url: 'https://ops.test/0', secret: secretText('zero') },
};

/** The audit entries of an action on one resource, of calls that were answered in time: see `admin`. */
const audited = async (id: string, action: string) =>
  (await entriesOf(gateway.database, id, action)).filter(({ details }) => details.status !== 503);
const auditedStatuses = async (id: string, action: string) =>
  (await audited(id, action)).map(({ details }) => details.status).toSorted();

describe.each([2, 20])('%i operators', (operators) => {
  describe('on one account', () => {
    test('change different fields: all changes are kept', async () => {
      const fields: Record<string, unknown> = {
        ...{ org_id: 'o', delivery_url: 'https://a.test/', project_id: 'p', enabled: false, app_key: 'k' },
        ...{ project_delivery_url: 'https://b.test/', signing_secret_current: 's', signing_secret_previous: 't' },
        ...{ delivery_secret: 'd', project_delivery_secret: 'e', skip_signature_verification: false },
      };
      const { id } = await newAccount();
      const names = Object.keys(fields);
      const chosen = Array.from({ length: operators }, (_, n) => names[n % names.length] ?? '');
      const answers = await times(operators, (n) =>
        admin('PATCH', `/accounts/${id}`, { [chosen[n] ?? '']: fields[chosen[n] ?? ''] }),
      );
      expect(statuses(answers)).toEqual(Array(operators).fill(200));
      const { body } = await admin('GET', `/accounts/${id}`);
      for (const name of chosen)
        if (name.includes('secret_') || name.endsWith('_secret')) expect(body[`has_${name}`]).toBe(true);
        else expect(body[name]).toBe(fields[name]);
      const entries = await audited(id, 'account.update');
      expect(entries.map(({ details }) => details.changed).toSorted()).toEqual(chosen.map((name) => [name]).toSorted());
    });

    test('change the same field: one of their values is stored, and each answer shows its own value', async () => {
      const { id } = await newAccount();
      const answers = await times(operators, (n) => admin('PATCH', `/accounts/${id}`, { org_id: `org ${n}` }));
      answers.forEach((answer, n) => {
        expect(answer).toMatchObject({ status: 200, body: { org_id: `org ${n}` } });
      });
      const { body } = await admin('GET', `/accounts/${id}`);
      expect(body).toEqual(answers.find((answer) => answer.body.org_id === body.org_id)?.body);
      expect(await auditedStatuses(id, 'account.update')).toEqual(Array(operators).fill(200));
    });

    test('change it while another operator deletes it: each change comes before the deletion or is 404', async () => {
      const { id } = await newAccount();
      const [deleted, ...changed] = await Promise.all([
        admin('DELETE', `/accounts/${id}`),
        ...Array.from({ length: operators }, (_, n) => admin('PATCH', `/accounts/${id}`, { org_id: `org ${n}` })),
      ]);
      expect(deleted?.status).toBe(204);
      for (const { status } of changed) expect([200, 404]).toContain(status);
      expect(await auditedStatuses(id, 'account.delete')).toEqual([204]);
      expect(await auditedStatuses(id, 'account.update')).toEqual(statuses(changed));
      const kept = changed.filter(({ status }) => status === 200).map(({ body }) => body.org_id);
      const [row] = await gateway.rows('select org_id, deleted_at from accounts where id = $1', [id]);
      expect(row?.deleted_at).not.toBeNull();
      expect([null, ...kept]).toContain(row?.org_id);
      if (kept.length > 0) expect(kept).toContain(row?.org_id);
    });

    test('delete it: exactly one deletion succeeds', async () => {
      const { id } = await newAccount();
      const answers = await times(operators, () => admin('DELETE', `/accounts/${id}`));
      const expected = [204, ...Array(operators - 1).fill(404)];
      expect(statuses(answers)).toEqual(expected);
      expect(await auditedStatuses(id, 'account.delete')).toEqual(expected);
    });

    test('create an account with one slug, or change theirs to it: exactly one succeeds', async () => {
      const slug = `taken-${operators}`;
      const others = await times(operators, () => newAccount());
      const fields = { provider: 'generic', account_slug: slug, app_key: 'tests' };
      const answers = await Promise.all([
        ...Array.from({ length: operators }, () => admin('POST', '/accounts', fields)),
        ...others.map(({ id }) => admin('PATCH', `/accounts/${id}`, { account_slug: slug })),
      ]);
      const won = answers.filter(({ status }) => status < 300);
      expect(won).toHaveLength(1);
      for (const answer of answers)
        if (answer !== won[0]) expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } });
      const { body: list } = await admin('GET', '/accounts');
      const holders = list.filter((account: { account_slug: string }) => account.account_slug === slug);
      expect(holders.map((account: { id: string }) => account.id)).toEqual([won[0]?.body.id]);
      const entries = await entriesAbout(gateway.database, won[0]?.body.id);
      const { status } = won[0] ?? {};
      expect(entries.filter(({ details }) => details.status === status).length).toBeGreaterThan(0);
      const created = await audited(slug, 'account.create');
      expect(created).toHaveLength(status === 201 ? 1 : 0);
      for (const { id } of others)
        expect(await auditedStatuses(id, 'account.update')).toEqual([id === won[0]?.body.id ? 200 : 409]);
    });
  });

  describe('on one destination', () => {
    test('change different fields, also within its config: all changes are kept', async () => {
      const account = await newAccount();
      const base = `/accounts/${account.id}/destinations`;
      const { body: made } = await admin('POST', base, { ...hook, config: { url: 'https://ops.test/0' } });
      const changes = [
        { config: { url: 'https://ops.test/1' } },
        { config: { secret: secretText('one') } },
        { name: 'renamed' },
        { position: 9 },
        { condition: 'delivery_failed' },
        { enabled: false },
      ].slice(0, operators);
      const answers = await Promise.all(changes.map((change) => admin('PATCH', `${base}/${made.id}`, change)));
      expect(statuses(answers)).toEqual(Array(changes.length).fill(200));
      const [now] = (await admin('GET', base)).body;
      const rest = { name: 'renamed', position: 9, condition: 'delivery_failed', enabled: false };
      const config = { url: 'https://ops.test/1', has_secret: true };
      expect(now).toMatchObject(operators === 2 ? { name: 'hook', config } : { ...rest, config });
      expect(await auditedStatuses(made.id, 'destination.update')).toEqual(Array(changes.length).fill(200));
    });

    test('change it and delete it and its account: it stays deleted, and no answer is 500', async () => {
      const account = await newAccount();
      const base = `/accounts/${account.id}/destinations`;
      const { body: made } = await admin('POST', base, hook);
      const [created, patched, deleted, gone] = await Promise.all([
        times(operators, () => admin('POST', base, chat)),
        times(operators, (n) => admin('PATCH', `${base}/${made.id}`, { config: { secret: secretText(`${n}`) } })),
        times(operators, () => admin('DELETE', `${base}/${made.id}`)),
        admin('DELETE', `/accounts/${account.id}`),
      ]);
      expect(gone.status).toBe(204);
      for (const { status } of created) expect([201, 404]).toContain(status);
      for (const { status } of patched) expect([200, 404]).toContain(status);
      for (const { status } of deleted) expect([204, 404]).toContain(status);
      expect(deleted.filter(({ status }) => status === 204).length).toBeLessThanOrEqual(1);
      expect(await auditedStatuses(made.id, 'destination.update')).toEqual(statuses(patched));
      expect(await auditedStatuses(made.id, 'destination.delete')).toEqual(statuses(deleted));
      for (const { status, body } of created)
        if (status === 201) expect(await auditedStatuses(body.id, 'destination.create')).toEqual([201]);
      expect((await admin('GET', base)).status).toBe(404);
    });
  });
});
