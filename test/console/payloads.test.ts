import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { send } from '../support/admin-client.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { hostile, useSampleData } from './support/sample-data.ts';

const gateway = consoleGateway();
const data = useSampleData(gateway);

const openEvent = (id: string) => {
  const { baseUrl, adminToken } = gateway;
  return openConsole({ baseUrl, token: adminToken, path: `/events/${id}` });
};

test('markup in a payload is text, and marks of direction are shown as signs', async () => {
  const page = await openEvent(data.events.hostile);
  page.on('dialog', () => expect.unreachable('the payload was run'));
  const code = page.getByRole('textbox', { name: 'Payload' });
  await code.getByText('<img src=x onerror=alert(1)>').waitFor();
  await page.getByRole('heading', { level: 1, name: hostile.type }).waitFor();
  expect(await page.locator('img[src="x"], main script').count()).toBe(0);
  const text = await code.innerText();
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});

test('a line of a megabyte is shown in part, and found by a search', async () => {
  const page = await openEvent(data.events.line);
  const code = page.getByRole('textbox', { name: 'Payload' });
  await code.getByText('one-line').waitFor();
  expect((await code.innerText()).length).toBeLessThan(100_000);
  await page.getByRole('button', { name: 'Search in the text' }).click();
  await page.getByRole('textbox', { name: 'Find' }).waitFor();
});

test('bytes are shown in hex, and downloaded as received into the file that the command reads', async () => {
  const page = await openEvent(data.events.binary);
  await page.getByText('00000000  00 01 02 03').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  const saved = await readFile(await download.path());
  expect([...saved]).toEqual(Array.from({ length: 2_000 }, (_, n) => n % 256));
  await page.getByRole('button', { name: 'curl' }).click();
  await page.getByText(`--data-binary @${download.suggestedFilename()}`).waitFor();
});

test('numbers keep all their digits, and what only looks like bytes is JSON', async () => {
  const { admin, baseUrl } = gateway;
  const body = '{"id":"digits","base64":"eA==","snowflake":1234567890123456789,"price":1.10,"text":"\\u00e9t\\u00e9"}';
  const sent = await send(baseUrl, data.accounts.delivered, body, { 'content-type': 'application/json' });
  await admin.eventually(sent.body.id, (event) => event.delivery_status === 'delivered');
  const page = await openEvent(sent.body.id);
  await page.getByRole('heading', { name: 'Payload (JSON' }).waitFor();
  const text = await page.getByRole('textbox', { name: 'Payload' }).innerText();
  for (const part of ['"snowflake": 1234567890123456789', '"price": 1.10', '"text": "été"'])
    expect(text).toContain(part);
});

test('the payload as received, and a command that sends it again', async () => {
  const page = await openEvent(data.events.failed);
  await page.getByRole('button', { name: 'As received' }).click();
  await page.getByText('{"id":"inv-1","type":"invoice.finalized"}').waitFor();
  await page.getByRole('button', { name: 'curl' }).click();
  await page.getByText(`curl -X POST '${gateway.baseUrl}/generic/billing'`).waitFor();
  await page.getByText('--data-raw \'{"id":"inv-1"').waitFor();
});
