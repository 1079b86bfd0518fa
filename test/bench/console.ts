import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { launchChromium } from '../support/chromium/launch.ts';
import { fill } from './admin/fill.ts';
import { cpuTimes } from './cpu.ts';
import { adminToken, createAccount, type GatewayProcess, startApiProcess, temporaryPostgres } from './processes.ts';
import { type BenchResult, ms, percentile } from './report.ts';
import { durability } from './settings.ts';

const firstRow = '[role="row"][aria-rowindex="2"]';
const bars = '[aria-label="All events of these filters"] fieldset button';
const lastError = 'strong:has-text("Last error")';
/** The pages that are opened, and what they show when their data is there. `{event}` and `{incident}`: the id of one. */
const pages: [name: string, path: string, shown: string][] = [
  ['newest events', '/events', firstRow],
  ['failed events', '/events?delivery_status=failed', firstRow],
  ['events of an account', '/events?account_slug=slug-150', firstRow],
  ['one external id', '/events?external_id=rare', firstRow],
  ['count and bars of all events', '/events', bars],
  ['count and bars of failed events', '/events?delivery_status=failed', bars],
  ['page of an event', '/events/{event}', lastError],
  ['page of an incident', '/incidents/{incident}', 'dt:text-is("Exhausted")'],
  ['list of incidents', '/incidents', 'tbody tr'],
  ['overview, incidents', '/', '[aria-label="Incidents"] li'],
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
  /** How long the overview is open. */
  overviewSeconds: number;
}): Promise<BenchResult> {
  const postgres = await temporaryPostgres();
  await migrateOnce(postgres.url, createLog('warn'));
  console.error(`filling ${options.events} events over ${options.days} days`);
  await fill(postgres.url, options);
  const gateway = await startApiProcess(postgres.url);
  const browser = await launchChromium();
  try {
    const rows: BenchResult['rows'] = [];
    const ids = await readIds(gateway);
    for (const [name, address, shown] of pages) {
      const path = address.replace('{event}', ids.event).replace('{incident}', ids.incident);
      rows.push(await measureOpening(browser, gateway, { name, path, shown }));
    }
    rows.push(await measureAnswers(browser, gateway));
    rows.push(await measureScrolling(browser, gateway, options.requests));
    for (const open of streams) rows.push(await measureStreams(gateway, { ...options, open }));
    rows.push(...(await measureOverview(browser, gateway, options.overviewSeconds)));
    const settings = { events: String(options.events), days: String(options.days), rate: String(options.rate) };
    return { settings: { ...settings, ...(await durability(postgres.url)) }, rows };
  } finally {
    await browser.close();
    await gateway.stop();
    await postgres.stop();
  }
}

/** An event that has failed, and an incident that is open. */
async function readIds({ baseUrl }: GatewayProcess): Promise<{ event: string; incident: string }> {
  const read = async (path: string) => {
    const answer = await fetch(`${baseUrl}${path}`, { headers: { 'x-admin-token': adminToken } });
    return answer.json();
  };
  const first = z.tuple([z.object({ id: z.string() })]);
  const [event] = first.parse(await read('/admin/events?delivery_status=failed&response_code=500&limit=1'));
  const [incident] = first.parse(await read('/admin/incidents?state=open&limit=1'));
  return { event: event.id, incident: incident.id };
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
  return { what: `until shown: ${name}`, 'p50 ms': ms(percentile(times, 0.5)), 'max ms': ms(Math.max(...times)) };
}

/** Goes through the answers of failed events beside their list. */
async function measureAnswers(browser: Browser, { baseUrl }: GatewayProcess) {
  const page = await openPage(browser);
  await page.goto(`${baseUrl}/dashboard/events?delivery_status=failed&response_code=500`);
  await page.locator(firstRow).waitFor();
  const panel = page.getByRole('region', { name: 'Answer' });
  await page.keyboard.press('j');
  await page.keyboard.press('p');
  await panel.locator(lastError).waitFor();
  const times: number[] = [];
  for (let n = 0; n < openings * 2; n++) {
    const name = await panel.getByRole('link', { name: 'Open' }).getAttribute('href');
    const startedMs = performance.now();
    await page.keyboard.press('j');
    await panel.locator(`a:not([href="${name}"]):has-text("Open")`).waitFor();
    await panel.locator(lastError).waitFor();
    times.push(performance.now() - startedMs);
  }
  await page.context().close();
  return {
    what: 'next answer, beside the list',
    'p50 ms': ms(percentile(times, 0.5)),
    'max ms': ms(Math.max(...times)),
  };
}

/** What the gateway and PostgreSQL take while no page is open, and while a browser shows the overview. */
async function measureOverview(browser: Browser, { baseUrl, pids }: GatewayProcess, seconds: number) {
  const used = async () => {
    const before = cpuTimes(pids);
    await sleep(seconds * 1_000);
    const after = cpuTimes(pids);
    return { gateway: after.gateway - before.gateway, database: after.database - before.database };
  };
  const share = (cpuMs: number) => `${(cpuMs / seconds / 10).toFixed(2)} %`;
  const rowOf = (what: string, cpu: Awaited<ReturnType<typeof used>>) => ({
    what: `${what}, ${seconds} s`,
    'gateway, of a core': share(cpu.gateway),
    'PostgreSQL, of a core': share(cpu.database),
  });
  const without = await used();
  const page = await openPage(browser);
  await page.goto(`${baseUrl}/dashboard/`);
  await page.locator('canvas').first().waitFor();
  const open = await used();
  await page.context().close();
  return [rowOf('no page open', without), rowOf('overview open', open)];
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
