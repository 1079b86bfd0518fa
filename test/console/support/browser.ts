import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { launchChromium } from '../../support/chromium/launch.ts';
import { defaultLimitMs } from '../../support/until.ts';

let browser: Promise<Browser> | null = null;

/** Closes the browser after the tests of the file. */
export function browserEndsWithItsFile(): void {
  afterAll(async () => {
    const running = browser;
    browser = null;
    await (await running)?.close();
  });
}

export interface OpenOptions extends Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'reducedMotion'> {
  baseUrl: string;
  /** The token that the tab has already; null: the page asks for one. */
  token: string | null;
  /** Where to begin, below `/dashboard`. */
  path?: string;
  /** What the page may write to the browser's console in this test, such as the status of a refused call. */
  expectedErrors?: RegExp;
}

/**
 * Opens the console in a browser context of its own, which is closed after the test. The test fails when the page has
 * violated its policy, thrown an error, or asked another host.
 */
export async function openConsole(options: OpenOptions): Promise<Page> {
  const { baseUrl, token, path = '/', expectedErrors, ...context } = options;
  browser ??= launchChromium();
  const opened = await (await browser).newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...context });
  // As `until`: pages show what workers and Temporal do.
  opened.setDefaultTimeout(defaultLimitMs);
  const problems = watch(opened, baseUrl, expectedErrors);
  onTestFinished(async () => {
    // A route may wait for the answer of the gateway. Its error would be a rejection that nothing handles.
    await Promise.all(opened.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
    await opened.close();
    expect(problems).toEqual([]);
  });
  if (token !== null)
    await opened.addInitScript(
      ([origin, key = '', value = '']) => {
        // Only for the first page of the tab: after that, the user may have signed out.
        if (location.origin !== origin || sessionStorage.getItem('tested') !== null) return;
        sessionStorage.setItem('tested', 'yes');
        sessionStorage.setItem(key, value);
      },
      [new URL(baseUrl).origin, 'webhook-gateway-admin-token', token],
    );
  const page = await opened.newPage();
  await page.goto(`${baseUrl}/dashboard${path}`);
  return page;
}

/** What a browser says about calls that get no answer, or whose answer breaks off. */
export const unanswered = /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY_RESPONSE|ERR_NETWORK/;

/** The browser says so when a busy database or Temporal exceeds the limit of a call once. The page asks again. */
const late = /status of 503/;

function watch(context: BrowserContext, baseUrl: string, expected: RegExp | undefined): string[] {
  const problems: string[] = [];
  const add = (problem: string) => {
    if (!late.test(problem) && !expected?.test(problem)) problems.push(problem);
  };
  context.on('weberror', (error) => add(`thrown: ${error.error().stack}`));
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') add(`${message.type()}: ${message.text()}`);
  });
  context.on('request', (request) => {
    if (!request.url().startsWith(`${baseUrl}/`) && !request.url().startsWith('blob:')) add(`asked ${request.url()}`);
  });
  return problems;
}
