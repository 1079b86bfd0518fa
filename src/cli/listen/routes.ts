import { parsePair, parseUrl } from '../inputs.ts';

/** Where events of some types are forwarded to. */
export interface Route {
  matches(eventType: string): boolean;
  url: URL;
}

/**
 * Routes in the order in which they are tried: those of `--route`, then `--forward` for all other events.
 *
 * @param routes as `invoice.*=http://localhost:4000`, where `*` is any text
 * @throws CliError for one that is not valid
 */
export function parseRoutes(routes: readonly string[], forward: string | undefined): Route[] {
  const parsed = routes.map((text): Route => {
    const [pattern, address] = parsePair(text, '--route');
    return { matches: wildcard(pattern), url: parseUrl(address, '--route') };
  });
  return forward === undefined ? parsed : [...parsed, { matches: () => true, url: parseUrl(forward, '--forward') }];
}

/** The address for an event; null: it is not forwarded. An event without a type has an empty one. */
export const routeOf = (routes: readonly Route[], eventType: string | null): URL | null =>
  routes.find(({ matches }) => matches(eventType ?? ''))?.url ?? null;

/** A test for the whole text, where `*` is any text. In linear time: a text is compared from both of its ends. */
function wildcard(pattern: string): Route['matches'] {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of others) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}
