interface Route {
  method: string;
  path: string;
}

/**
 * The methods that some route takes at this path; none when no route is there. `/admin` and `/health` are no providers,
 * so the ingestion route does not count for what lies below them.
 */
export function allowedMethods(routes: readonly Route[], pathname: string): string[] {
  const asked = segments(pathname);
  const reserved = asked[0] === 'admin' || asked[0] === 'health';
  const methods = routes
    .filter(({ path }) => {
      const wanted = segments(path);
      if (reserved && wanted[0]?.startsWith(':')) return false;
      return (
        wanted.length === asked.length && wanted.every((part, index) => part.startsWith(':') || part === asked[index])
      );
    })
    .map(({ method }) => method);
  return [...new Set(methods)].sort();
}

const segments = (path: string) => path.split('/').filter((part) => part !== '');
