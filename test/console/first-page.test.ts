import { expect } from 'vitest';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway({ worker: false });

test('the first page loads less than 210 KB', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: null });
  // What the page that asks for a token loads is not counted.
  await page.waitForLoadState('networkidle');
  const sizes: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/dashboard')) sizes.push(Number(response.headers()['content-length']));
  });
  await page.goto('about:blank');
  await page.addInitScript((token) => sessionStorage.setItem('webhook-gateway-admin-token', token), adminToken);
  await page.goto(`${baseUrl}/dashboard`);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByRole('slider').first().waitFor();
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(sizes.length).toBeGreaterThan(4);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(210_000);
});
