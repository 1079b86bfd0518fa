import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startGatewayProcess, temporaryFolder, temporaryPostgres } from '../bench/processes.ts';
import { type AdminClient, adminClient, send } from '../support/admin-client.ts';
import { launchChromium } from '../support/chromium/launch.ts';
import { listen } from '../support/listen.ts';
import { queryOnce } from '../support/one-connection.ts';
import { until } from '../support/until.ts';

// `npm run docs-images`: takes the pictures of the console in docs/images again, from a gateway of its own that is well.

const adminToken = randomBytes(24).toString('base64url');
const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
/** Webhooks before the pictures, so that the list is full, and how many of them a second. */
const [webhooks, perSecond] = [240, 6];
const types = ['order.created', 'order.paid', 'order.shipped', 'customer.updated', 'invoice.paid'];

/** A consumer that accepts everything except orders that it has to wait for. */
const consumer = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const isEarly = Buffer.concat(chunks).includes('"warehouse":"closed"');
    response.writeHead(isEarly ? 503 : 200, { 'content-type': 'application/json' });
    const early = { error: 'the warehouse is closed', retry: true, trace: '4bf92f3577b34da6a3ce929d0e0e4736' };
    setTimeout(() => response.end(JSON.stringify(isEarly ? early : { ok: true })), 5 + Math.random() * 30);
  });
});

type Account = { id: string; provider: string; account_slug: string };

async function createAccounts(admin: AdminClient, url: string): Promise<Account[]> {
  const of = { shop: ['shopify/store-eu', 'stripe/payments'], crm: ['generic/customers'], site: ['github/website'] };
  const accounts: Account[] = [];
  for (const [app_key, names] of Object.entries(of))
    for (const name of names) {
      const [provider = '', account_slug = ''] = name.split('/');
      accounts.push(await admin.createAccount({ provider, account_slug, app_key, delivery_url: url }));
    }
  return accounts;
}

/** The counts of the hour before, as a gateway has them that got about as many webhooks then. */
async function fillHour(databaseUrl: string): Promise<void> {
  const minutes = `generate_series(date_trunc('minute', now()) - interval '62 min', now(), interval '1 min')`;
  const received = `(300 + 50 * sin(extract(epoch from at) / 900) + 40 * random() - case when at > now() - interval '3 min' then 120 else 0 end)::integer`;
  await queryOnce(
    databaseUrl,
    `insert into event_series (minutes, at, provider, received, delivered, attempts)
     select 1, at, '', n, n, n from (select at, ${received} as n from ${minutes} at) m on conflict do nothing`,
  );
  await queryOnce(
    databaseUrl,
    `insert into event_series_latencies (minutes, at, bucket, n)
     select 1, m.at, l.bucket, ceil(l.n * (0.5 + random())) from ${minutes} m (at), (select bucket, sum(n) as n from
       (select bucket, n from event_latencies union all select bucket, n from event_latency_deltas) b group by 1) l
     on conflict do nothing`,
  );
}

async function take(page: Page, name: string, { width = 1280, height = 900 } = {}): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.waitForFunction('document.querySelector("[aria-busy=true]") === null');
  await sleep(1_000);
  await page.screenshot({ path: `${folder}${name}.png` });
  console.log(`docs/images/${name}.png`);
}

const postgres = await temporaryPostgres();
const dataDir = await temporaryFolder();
const backups = await temporaryFolder();
const gateway = await startGatewayProcess('all', {
  ...{ DATABASE_URL: postgres.url, DATA_DIR: dataDir.path, LOG_LEVEL: 'warn', BACKUP_DIR: backups.path },
  ...{ ADMIN_TOKEN: '', ADMIN_TOKENS: `alice:${adminToken}`, DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8' },
});
const browser = await launchChromium();
try {
  const { baseUrl } = gateway;
  const admin = adminClient(baseUrl, adminToken);
  const accounts = await createAccounts(admin, `http://127.0.0.1:${await listen(consumer)}/webhooks`);
  const [shop, payments] = accounts;
  if (!shop || !payments) throw new Error('there are no accounts');
  const post = (account: Account, fields: { id: string; type: string; [field: string]: unknown }) =>
    send(baseUrl, account, JSON.stringify(fields), {
      'content-type': 'application/json',
      // Where these providers have the type and the id.
      ...(account.provider === 'shopify' ? { 'x-shopify-topic': fields.type, 'x-shopify-webhook-id': fields.id } : {}),
      ...(account.provider === 'github' ? { 'x-github-event': 'push', 'x-github-delivery': fields.id } : {}),
    });
  const { body: waiting } = await post(shop, { id: 'order-1038', type: 'order.created', warehouse: 'closed' });
  for (let n = 0; n < webhooks; n++) {
    const [account = shop, type = 'ping'] = [accounts[n % accounts.length], types[n % types.length]];
    await post(account, { id: `${type.split('.')[0]}-${2_000 + n}`, type, amount: (n * 137) % 900, currency: 'EUR' });
    await sleep(1_000 / perSecond);
  }
  const page = await (
    await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', colorScheme: 'light' })
  ).newPage();
  await page.addInitScript(`sessionStorage.setItem('webhook-gateway-admin-token', '${adminToken}')`);
  const open = (path: string) => page.goto(`${baseUrl}/dashboard${path}`);

  await open('/events');
  await page.getByRole('link', { name: /order/ }).first().waitFor();
  await take(page, 'events');

  await until('the event has three attempts', async () => (await admin.event(waiting.id)).attempts >= 3, {
    limitMs: 120_000,
  });
  await open(`/events/${waiting.id}`);
  await page.getByText('Next attempt in').waitFor();
  await take(page, 'event', { height: 1_000 });
  await admin.post(`/admin/events/${waiting.id}/ack`);

  // The worker has created the schedule of backups by now.
  await admin.post('/admin/backups/trigger');
  await until(
    'a backup is there',
    async () => (await admin.request('GET', '/admin/health')).body.backups.state === 'ok',
  );
  await fillHour(postgres.url);
  await open('/');
  await page.locator('canvas').first().waitFor();
  await page.getByText('Nothing fails').waitFor();
  await take(page, 'overview');

  await open('/accounts?new=stripe');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await take(page, 'new-account', { height: 1_000 });

  await page.setViewportSize({ width: 1280, height: 760 });
  await open(`/accounts/${payments.id}`);
  await page.getByRole('button', { name: 'Add destination' }).click();
  await page.getByRole('textbox', { name: 'Condition' }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('delivery_failed and event_type.startswith("order.")');
  await page.keyboard.press('Escape');
  await page.getByText(/of the last \d+ events/).waitFor();
  await page.getByText('How to write a condition').scrollIntoViewIfNeeded();
  await take(page, 'condition', { height: 760 });
} finally {
  await browser.close();
  await gateway.stop();
  consumer.close();
  consumer.closeAllConnections();
  await postgres.stop();
  await dataDir.remove();
  await backups.remove();
}
