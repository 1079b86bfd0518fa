import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { send } from '../support/admin-client.ts';
import { outcomeOf } from '../support/received.ts';
import { useGatewayPerTest } from '../support/use-gateway.ts';
import { findings } from './support/axe.ts';
import { browserEndsWithItsFile, openConsole, unanswered } from './support/browser.ts';
import { test } from './support/browser-test.ts';

const gateway = useGatewayPerTest({ worker: false });
browserEndsWithItsFile();

const open = (path = '/') =>
  openConsole({
    ...{ baseUrl: gateway.baseUrl, token: gateway.adminToken, path, viewport: { width: 1280, height: 900 } },
    // The gateway of a test ends before its page.
    expectedErrors: new RegExp(`status of 404|${unanswered.source}`),
  });

/** Stores an incident as the gateway does. */
async function stored(fields: {
  account: { id: string } | null;
  kind?: string;
  cause: string;
  state?: string;
  attempts?: number;
}) {
  const { account, kind = 'delivery', cause, state = 'open', attempts = 1 } = fields;
  const id = uuidv7();
  await gateway.rows(
    `insert into incidents (id, kind, state, account_id, cause, first_seen_at, last_seen_at, attempts, resolved_at)
     values ($1, $2, $3, $4, $5, now() - interval '10 minutes', now() - interval '2 minutes', $6, case when $3 = 'resolved' then now() end)`,
    [id, kind, state, account?.id ?? null, cause, attempts],
  );
  return id;
}

/** An event of the account, exhausted. */
async function exhausted(account: { provider: string; account_slug: string }, id: string) {
  const { body } = await send(gateway.baseUrl, account, JSON.stringify({ id }));
  await new OutcomeRecorder(gateway.database, async () => undefined).record(
    outcomeOf(body.id, { succeeded: false, last: true, nextAttemptAt: null, number: 10 }),
  );
}

test('without an incident, the overview says so in one line, and so for the health of the gateway', async () => {
  const page = await open();
  await page.getByText('Nothing fails: no consumer').waitFor();
  await page.getByText('no attempt in the last 15 min').waitFor();
  expect(await page.getByRole('list', { name: 'Incidents' }).count()).toBe(0);
  // No worker runs: what is not well has its own line, with what to do.
  await page.getByText('No worker runs.').waitFor();
  await page.getByRole('link', { name: 'Past incidents' }).click();
  await page.getByText('No incident in the last 90 days.').waitFor();
});

test('of 200 failing accounts, those with the most events are named, and the others counted by cause', async () => {
  const accounts = await Promise.all(
    Array.from({ length: 200 }, (_, n) => gateway.admin.createAccount({ account_slug: `shop-${n}` })),
  );
  for (const [n, account] of accounts.entries()) {
    const cause = n % 4 === 0 ? '500 TypeError: x is null' : 'connection_refused the consumer refused the connection';
    await stored({ account, cause, attempts: n + 1 });
  }
  for (const n of [3, 7]) for (let i = 0; i < n; i++) await exhausted(accounts[n] ?? {}, `e-${n}-${i}`);
  // A second cause of the first consumer is no line of its own.
  await stored({ account: accounts[7] ?? null, cause: 'timeout no answer in time', attempts: 5 });
  await stored({ account: null, kind: 'gateway', cause: 'Temporal does not answer' });
  const page = await open();
  await page.getByRole('heading', { name: '202 incidents' }).waitFor();
  const lines = page.getByRole('list', { name: 'Incidents' }).locator(':scope > li');
  expect(await lines.count()).toBe(10);
  expect(await lines.nth(0).innerText()).toContain('Temporal does not answer');
  const second = await lines.nth(1).innerText();
  expect(second).toContain('generic/shop-7');
  expect(second).toContain('0 waiting, 7 exhausted');
  expect(second).toMatch(/also generic\/shop-7 (does not answer in time|refuses connections)/);
  expect(await lines.nth(2).innerText()).toContain('generic/shop-3 refuses connections');
  expect(await lines.nth(3).innerText()).toContain('generic/shop-199');
  await page.getByText('and 191 more; of all that are open:').waitFor();
  expect(await findings(page)).toEqual([]);
  for (const width of [375, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([width, wider]).toEqual([width, 0]);
  }
  // The number by cause leads to these incidents.
  const group = page
    .locator('span')
    .filter({ hasText: /^50 × answers 500$/ })
    .first();
  await group.getByRole('link').click();
  await page.getByText('Only 500').waitFor();
  await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBe(50 + 1);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBe(202 + 1);
});

test('what was typed stays when another cause of the consumer, or ten other consumers, become worse', async () => {
  const lines = Array.from({ length: 11 }, async (_, n) => {
    const account = await gateway.admin.createAccount({ account_slug: `shop-${n}` });
    return { account, id: await stored({ account, cause: '500 oops', attempts: 200 - 10 * n }) };
  });
  const [tenth, eleventh] = (await Promise.all(lines)).slice(-2);
  const other = await stored({ account: tenth?.account ?? null, cause: 'timeout no answer in time', attempts: 1 });
  const page = await open();
  const line = page.getByRole('listitem', { name: /^generic\/shop-9 / });
  await line.getByRole('button', { name: /^Replay/ }).click();
  const ofReplay = page.getByRole('form', { name: 'Replay at a pace' }).getByLabel(/^Reason/);
  await ofReplay.fill('repaired');
  await line.getByRole('button', { name: /^Pause/ }).click();
  const ofPause = page.getByRole('dialog').getByLabel('Reason');
  await ofPause.fill('a fix is deployed');
  const set = 'update incidents set attempts = $2 where id = $1';
  await gateway.rows(set, [other, 111]);
  await page.locator('li', { hasText: /shop-9 does not answer in time.*also generic\/shop-9 answers 500/ }).waitFor();
  await gateway.rows(set, [eleventh?.id, 500]);
  await page.getByText('generic/shop-10 answers 500').waitFor();
  expect(await ofPause.inputValue()).toBe('a fix is deployed');
  await page.keyboard.press('Escape');
  expect(await ofReplay.inputValue()).toBe('repaired');
});

test('an incident that is over stays on the overview while events are left, until it is closed with a note', async () => {
  const account = await gateway.admin.createAccount({ account_slug: 'shop-eu' });
  for (let n = 0; n < 3; n++) await exhausted(account, `left-${n}`);
  const id = await stored({ account, cause: '500 oops', state: 'resolved' });
  const page = await open();
  await page.getByRole('heading', { name: 'Nothing fails now; some events are left to replay' }).waitFor();
  const line = page.getByRole('list', { name: 'Incidents' }).getByRole('listitem', { name: 'generic/shop-eu' });
  await line.getByText('3 to replay').click();
  const events = page.getByRole('table', { name: 'Events' }).getByRole('link');
  await events.nth(2).waitFor();
  expect(await events.count()).toBe(3);
  await page.goBack();
  await line.getByRole('link', { name: 'generic/shop-eu answered 500' }).click();
  await page.getByText('It ended by itself').waitFor();
  await page.getByText('3 events of it still wait or are exhausted.').waitFor();
  await page.getByRole('button', { name: 'Close …' }).click();
  await page.getByLabel('Note').fill('the shop has them from another source');
  await page.getByRole('button', { name: 'Close the incident' }).click();
  await page.getByText('the shop has them from another source').waitFor();
  expect((await gateway.admin.request('GET', `/admin/incidents/${id}`)).body).toMatchObject({
    resolved_by: 'tester',
    note: 'the shop has them from another source',
  });
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Nothing fails: no consumer').waitFor();
});

test('the pages of a failing event and of its account lead to the open incident; one of rejected webhooks leads to them', async () => {
  const account = await gateway.admin.createAccount({ account_slug: 'shop-eu' });
  const { body } = await send(gateway.baseUrl, account, '{"id":"failing"}');
  await new OutcomeRecorder(gateway.database, async () => undefined).record(
    outcomeOf(body.id, { succeeded: false, responseBody: 'the first line\nthe second' }),
  );
  await stored({ account, cause: '500 the first line' });
  await stored({ account, kind: 'rejections', cause: 'bad_signature', attempts: 120 });
  const page = await open(`/events/${body.id}#answer`);
  await page.locator('#answer').getByText('the first line').waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Request and answer');
  const incidents = page.getByRole('list', { name: 'Open incidents' });
  await incidents.getByRole('listitem').first().waitFor();
  expect(await incidents.getByRole('listitem').count()).toBe(1);
  await page.getByRole('link', { name: 'generic/shop-eu', exact: true }).click();
  await incidents.getByRole('link', { name: 'generic/shop-eu rejects webhooks' }).click();
  await page.getByText('120').waitFor();
  await page.getByText('bad_signature').waitFor();
  expect(await page.getByRole('button', { name: /^Pause/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'Rejected webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Rejected webhooks' }).waitFor();
  expect(new URL(page.url()).search).toMatch(/^\?incident=/);
});

test('an open incident of the gateway says what to do, and leads to the page that shows more of it', async () => {
  const causes = {
    backups: 'no backup has completed for 36 hours',
    waiting: 'an event has been pending for more than 4.5 hours',
    disk: 'the disk at /var/lib is nearly full',
    unknown: 'a cause of another release',
  };
  const ids = new Map<string, string>();
  for (const cause of Object.values(causes)) ids.set(cause, await stored({ account: null, kind: 'gateway', cause }));
  const page = await open();
  const lines = page.getByRole('list', { name: 'Incidents' });
  const linksOf = async (cause: string) => {
    const line = lines.getByRole('listitem', { name: cause });
    await line.waitFor();
    return line.getByRole('link').allTextContents();
  };
  const title = (cause: string) => cause.charAt(0).toUpperCase() + cause.slice(1);
  expect(await linksOf(causes.waiting)).toEqual([title(causes.waiting), 'Waiting events']);
  expect(await linksOf(causes.disk)).toEqual([title(causes.disk)]);
  await lines.getByRole('link', { name: title(causes.backups) }).click();
  await page.getByRole('heading', { name: 'What to do' }).waitFor();
  await page.getByText('The list of backups says why the last one failed.').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.locator('header').getByRole('link', { name: 'Backups' }).click();
  await page.getByRole('heading', { level: 1, name: 'Backups' }).waitFor();
  const disk = await open(`/incidents/${ids.get(causes.disk)}`);
  await disk.getByText('Free space, or give it more.').waitFor();
  const ended = await stored({ account: null, kind: 'gateway', cause: causes.disk, state: 'resolved' });
  for (const id of [ids.get(causes.unknown), ended]) {
    const other = await open(`/incidents/${id}`);
    await other.getByRole('heading', { name: 'What is known' }).waitFor();
    expect(await other.getByRole('heading', { name: 'What to do' }).count()).toBe(0);
  }
});

test('an incident that does not exist is explained', async () => {
  const page = await open(`/incidents/${uuidv7()}`);
  await page.getByText('There is no incident with this id.').waitFor();
});
