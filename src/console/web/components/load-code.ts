import { ApiProblem } from '../api/problem.ts';

/** Says that code could not be loaded. */
export const notLoaded = new ApiProblem({
  status: 0,
  title: 'A part of the console could not be loaded',
  // Browsers do not load a script again that has failed once (HTML, module maps).
  detail: 'the gateway does not answer, or it was upgraded: reload the page when it answers',
});

/** The stylesheets that could not be loaded. */
const failedStyles = new Set<HTMLLinkElement>();
document.addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failedStyles.add(target);
  },
  // Errors of elements do not bubble.
  { capture: true },
);

/**
 * Loads code that a page needs now.
 *
 * @throws ApiProblem when it cannot be loaded. The error of the browser would make the router reload the tab, which
 * ends at an error page of the browser while the gateway is away.
 */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  // Vite loads no stylesheet a second time.
  for (const link of failedStyles) link.replaceWith(link.cloneNode());
  failedStyles.clear();
  try {
    return await load();
  } catch {
    throw notLoaded;
  }
}
