import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { launchChromium } from '../support/chromium/launch.ts';
import { fill } from './admin/fill.ts';
import { cpuTimes } from './cpu.ts';
import { adminToken, createAccount, type GatewayProcess, startApiProcess, temporaryPostgres } from './processes.ts';
import { type BenchResult, ms, percentile } from './report.ts';
import { durability } from './settings.ts';

/** The pages that are opened, and what they show when their data is there. */
const pages: [name: string, path: string, shown: string][] = [
  ['newest events', '/events', '[role="row"][aria-rowindex="2"]'],
  ['failed events', '/events?delivery_status=failed', '[role="row"][aria-rowindex="2"]'],
  ['events of an account', '/events?account_slug=slug-150', '[role="row"][aria-rowindex="2"]'],
  ['one external id', '/events?external_id=rare', '[role="row"][aria-rowindex="2"]'],
  ['overview, 30 days', '/?range=30d', 'canvas'],
];
/** Each page is opened so often, each time by a browser that knows nothing. */
const openings = 5;
/** Streams that read every event, in addition to none. */
const streams = [0, 1, 5];

/** Measures the console over large tables: the first rows of its pages, scrolling, and what live lists cost the gateway. */
export async function benchConsole(options: {
  events: number;
  days: number;
  /** Turns of the wheel while scrolling. */
  requests: number;
  rate: number;
  seconds: number;
}): Promise<BenchResult> {
  const postgres = await temporaryPostgres();
  await migrateOnce(postgres.url, createLog('warn'));
  console.error(`filling ${options.events} events over ${options.days} days`);
  await fill(postgres.url, options);
  const gateway = await startApiProcess(postgres.url);
  const browser = await launchChromium();
  try {
    const rows: BenchResult['rows'] = [];
    for (const [name, path, shown] of pages) rows.push(await measureOpening(browser, gateway, { name, path, shown }));
    rows.push(await measureScrolling(browser, gateway, options.requests));
    for (const open of streams) rows.push(await measureStreams(gateway, { ...options, open }));
    const settings = { events: String(options.events), days: String(options.days), rate: String(options.rate) };
    return { settings: { ...settings, ...(await durability(postgres.url)) }, rows };
  } finally {
    await browser.close();
    await gateway.stop();
    await postgres.stop();
  }
}

async function openPage(browser: Browser): Promise<Page> {
  // On a machine without a locale, the language of a browser is en-US@posix, which no function of Intl accepts.
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 } });
  await context.addInitScript((token) => sessionStorage.setItem('webhook-gateway-admin-token', token), adminToken);
  return context.newPage();
}

async function measureOpening(
  browser: Browser,
  { baseUrl }: GatewayProcess,
  { name, path, shown }: { name: string; path: string; shown: string },
) {
  const times: number[] = [];
  for (let n = 0; n < openings; n++) {
    const page = await openPage(browser);
    const startedMs = performance.now();
    await page.goto(`${baseUrl}/dashboard${path}`, { waitUntil: 'commit' });
    await page.locator(shown).first().waitFor();
    times.push(performance.now() - startedMs);
    await page.context().close();
  }
  return { what: `first rows: ${name}`, 'p50 ms': ms(percentile(times, 0.5)), 'max ms': ms(Math.max(...times)) };
}

/** Scrolls the list of events, whose next pages are loaded meanwhile. */
async function measureScrolling(browser: Browser, { baseUrl }: GatewayProcess, turns: number) {
  const page = await openPage(browser);
  await page.goto(`${baseUrl}/dashboard/events`);
  await page.locator('[role="row"][aria-rowindex="2"]').waitFor();
  const debug = await page.context().newCDPSession(page);
  await debug.send('Performance.enable');
  const metrics = async () =>
    new Map((await debug.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  const before = await metrics();
  await page.getByRole('table').hover();
  for (let n = 0; n < turns; n++) {
    await page.mouse.wheel(0, 600);
    await page.evaluate('new Promise(requestAnimationFrame)');
  }
  const after = await metrics();
  const spentMs = (name: string) => ((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1_000;
  const rowsPassed = await page.getByRole('table').evaluate((table) => Math.round(table.scrollTop / 31));
  await page.context().close();
  return {
    what: `scrolling over ${rowsPassed} rows in ${turns} turns of the wheel`,
    'script ms/turn': ms(spentMs('ScriptDuration') / turns),
    'layout ms/turn': ms((spentMs('LayoutDuration') + spentMs('RecalcStyleDuration')) / turns),
    'heap MB': ms((after.get('JSHeapUsedSize') ?? 0) / 1e6),
  };
}

/** Sends webhooks at a steady rate while `open` clients read the stream of all events. */
async function measureStreams(
  { baseUrl, pids }: GatewayProcess,
  { open, rate, seconds }: { open: number; rate: number; seconds: number },
) {
  const ending = new AbortController();
  let bytes = 0;
  const reading = Array.from({ length: open }, async () => {
    const answer = await fetch(`${baseUrl}/admin/events/stream`, {
      headers: { 'x-admin-token': adminToken },
      signal: ending.signal,
    });
    for await (const chunk of answer.body ?? []) bytes += chunk.length;
  });
  const account = await createAccount(baseUrl, {});
  await sleep(1_000);
  const before = cpuTimes(pids);
  const sent = await sendSteadily(account, rate, seconds);
  const after = cpuTimes(pids);
  ending.abort();
  await Promise.allSettled(reading);
  return {
    what: `${open} live lists, ${rate} webhooks/s`,
    'gateway CPU ms/webhook': ((after.gateway - before.gateway) / sent).toFixed(3),
    'PostgreSQL CPU ms/webhook': ((after.database - before.database) / sent).toFixed(3),
    'KB read by each': open === 0 ? '' : ms(bytes / 1_000 / open),
  };
}

async function sendSteadily(account: { url: string; secret: string }, rate: number, seconds: number): Promise<number> {
  const startedMs = performance.now();
  const answers: Promise<unknown>[] = [];
  let n = 0;
  for (; n < rate * seconds; n++) {
    const aheadMs = (n / rate) * 1_000 - (performance.now() - startedMs);
    if (aheadMs > 2) await sleep(aheadMs);
    const body = JSON.stringify({ id: `live-${n}`, type: 'order.created' });
    const headers = { 'content-type': 'application/json', 'x-webhook-secret': account.secret };
    const answer = fetch(account.url, { method: 'POST', headers, body }).then(async (response) => {
      await response.arrayBuffer();
      if (response.status !== 202) throw new Error(`a webhook was answered ${response.status}`);
    });
    answers.push(answer);
  }
  await Promise.all(answers);
  return n;
}
