import type { Page, Route } from 'playwright-core';

/**
 * Holds the calls of a page to an address until `release`.
 *
 * @param answer answers a call after that; by default the gateway does.
 */
export async function holdRoute(
  page: Page,
  url: string | RegExp,
  answer: (route: Route) => Promise<void> = (route) => route.continue(),
): Promise<{ asked: Promise<void>; release(): void }> {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(url, async (route) => {
    asked.resolve();
    await released.promise;
    await answer(route);
  });
  return { asked: asked.promise, release: released.resolve };
}
