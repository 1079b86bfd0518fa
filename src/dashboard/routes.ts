import { Elysia } from 'elysia';
import { directAnswer } from '../http/direct-answer.ts';
import { Problem } from '../http/problem.ts';
import { type DashboardFile, readDashboardFiles } from './files.ts';

/**
 * Nothing from elsewhere, nothing inline, no native submission of a form: a token that is typed in cannot end up in an
 * address. Browsers that know trusted types refuse HTML made of text, too.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'";

/**
 * `/dashboard/events` and `/dashboard/events/{id}`, the pages that notifications link to (src/notifications/links.ts), and
 * `/dashboard/providers`. They hold no data and need no token: in the browser they ask for one and fetch everything from the admin API.
 */
export function dashboardRoutes() {
  const { shell, assets } = readDashboardFiles();
  return (
    new Elysia({ name: 'dashboard', prefix: '/dashboard' })
      .get('/', () => new Response(null, { status: 302, headers: { location: '/dashboard/events' } }))
      .get('/events', ({ request }) => respond(request, shell))
      // Whether there is such an event is for the API to say, to whoever has a token.
      .get('/events/:event_id', ({ request }) => respond(request, shell))
      .get('/providers', ({ request }) => respond(request, shell))
      .get('/assets/:file', ({ request, params }) => {
        const file = assets.get(params.file);
        if (!file) throw new Problem('not_found', 'there is nothing at this address');
        return respond(request, file);
      })
  );
}

function respond(request: Request, { bytes, type, etag }: DashboardFile): Response {
  const headers = {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // Asked for again each time, so that page and scripts are always of one release; mostly the answer is 304.
    'cache-control': 'no-cache',
    etag,
  };
  if (isKnown(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  return directAnswer(request, { headers: { 'content-type': type, ...headers }, bytes, isShared: true });
}

/** Whether the browser has this very content (RFC 9110, section 13.1.2). Proxies that compress make tags weak. */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
