interface Route {
  method: string;
  path: string;
}

/**
 * The methods that some route takes at this path; none when no route is there. What is ours is no provider, so the
 * ingestion route does not count for what lies below it.
 *
 * @param ingestionMethods what an ingestion address takes, by the name of its provider.
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
  // `replay-failed` is no event's id, so what could be done to an event of that id does not count.
  const fixed = here.filter(({ path }) => !path.includes(':'));
  if (here.length > 0 && here.every(({ path }) => path.startsWith('/:'))) return ingestionMethods(asked[0] ?? '');
  return [...new Set((fixed.length > 0 ? fixed : here).map(({ method }) => method))].sort();
}

const reservedNames = new Set(['admin', 'health', 'openapi', 'metrics', 'dashboard']);

/** Whether a path's first segment is ours, so that no provider can have that name. */
export function isReserved(segment: string): boolean {
  return reservedNames.has(segment);
}

/** A slash at the end does not count, as Elysia has it; others part segments, empty ones too. */
const segments = (path: string) => path.replace(/^\//, '').replace(/\/$/, '').split('/');
