interface Route {
  method: string;
  path: string;
}

/**
 * The methods of the routes at this path; none when no route matches. Reserved first segments such as `admin` are not
 * providers, so the ingestion route does not match below them.
 *
 * @param ingestionMethods returns the methods of a provider's ingestion address.
 */
export function allowedMethods(
  routes: readonly Route[],
  pathname: string,
  ingestionMethods: (provider: string) => string[],
): string[] {
  const asked = segments(pathname);
  const reserved = isReserved(asked[0] ?? '');
  const here = routes.filter(({ path }) => {
    const wanted = segments(path);
    if (reserved && wanted[0]?.startsWith(':')) return false;
    return (
      wanted.length === asked.length &&
      wanted.every((part, index) => (part.startsWith(':') ? asked[index] !== '' : part === asked[index]))
    );
  });
  // A fixed path such as `replay-failed` also matches the routes with an id in its place; those do not count.
  const fixed = here.filter(({ path }) => !path.includes(':'));
  if (here.length > 0 && here.every(({ path }) => path.startsWith('/:'))) return ingestionMethods(asked[0] ?? '');
  return [...new Set((fixed.length > 0 ? fixed : here).map(({ method }) => method))].sort();
}

const reservedNames = new Set(['admin', 'health', 'openapi', 'metrics', 'dashboard']);

/** Whether a path's first segment belongs to the gateway's own routes, so that no provider can have this name. */
export function isReserved(segment: string): boolean {
  return reservedNames.has(segment);
}

/** Splits a path as Elysia does: a slash at the end is ignored, and other slashes may enclose empty segments. */
const segments = (path: string) => path.replace(/^\//, '').replace(/\/$/, '').split('/');
