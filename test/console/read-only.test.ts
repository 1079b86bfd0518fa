import { expect } from 'vitest';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway, tokens } from './support/console-gateway.ts';
import { type SampleData, useSampleData } from './support/sample-data.ts';

const gateway = consoleGateway();
const data = useSampleData(gateway);

/** The names of everything that changes something. */
const changing =
  /^(replay|retry|acknowledge|mark|pause|resume|new account|create|edit|delete|disable|enable|rotate|set|add|run now|make a backup|purge|send|turn|move|backfill|close)/i;
const paths = ({ accounts, events }: SampleData) => [
  ...[
    '/',
    '/incidents',
    '/events',
    `/events/${events.failed}`,
    `/events/${events.delivered}`,
    '/rejected',
    '/accounts',
  ],
  ...[`/accounts/${accounts.failed.id}`, '/audit', '/backups', '/maintenance', '/providers', '/settings'],
];

test('a user whose token may only read sees no button that would fail, on any page', async () => {
  const { baseUrl } = gateway;
  const page = await openConsole({ baseUrl, token: tokens.reader });
  const refused: string[] = [];
  page.on('response', (response) => response.status() === 403 && refused.push(response.url()));
  for (const path of paths(data)) {
    await page.goto(`${baseUrl}/dashboard${path}`);
    await page.getByTitle('The token rita has the role read').waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    const names = await page.getByRole('main').locator('button, a').allInnerTexts();
    expect([path, names.filter((name) => changing.test(name.trim()))]).toEqual([path, []]);
  }
  expect(refused).toEqual([]);
});

test('a user whose token may operate replays, and edits nothing', async () => {
  const { baseUrl } = gateway;
  const page = await openConsole({ baseUrl, token: tokens.operator, path: `/events/${data.events.failed}` });
  await page.getByRole('button', { name: 'Replay', exact: true }).waitFor();
  await page.getByRole('link', { name: 'generic/billing', exact: true }).click();
  await page.getByRole('button', { name: 'Send test delivery' }).waitFor();
  await page.getByRole('button', { name: 'Pause default' }).waitFor();
  for (const name of ['Edit', 'Delete …', 'Disable …', 'Add destination', 'Add consumer'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
});
