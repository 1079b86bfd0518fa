import { Elysia } from 'elysia';
import { directAnswer } from '../http/direct-answer.ts';
import { Problem } from '../http/problem.ts';
import { type DashboardFile, readDashboardFiles } from './files.ts';

/**
 * No external or inline content. No native form submission, so that an entered token cannot get into a URL. Browsers
 * with trusted types also refuse HTML from strings.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'";

/**
 * `/dashboard/events` and `/dashboard/events/{id}`, the pages that notifications link to (src/notifications/links.ts),
 * and `/dashboard/providers`. The pages contain no data and need no token: their scripts ask the user for a token and
 * read all data from the admin API.
 */
export function dashboardRoutes() {
  const { shell, assets } = readDashboardFiles();
  return (
    new Elysia({ name: 'dashboard', prefix: '/dashboard' })
      .get('/', () => new Response(null, { status: 302, headers: { location: '/dashboard/events' } }))
      .get('/events', ({ request }) => respond(request, shell))
      // Does not check whether the event exists: the page gets that from the API, with a token.
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
    // Browsers revalidate at each use, so that page and scripts belong to one release; the response is mostly 304.
    'cache-control': 'no-cache',
    etag,
  };
  if (isKnown(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  return directAnswer(request, { headers: { 'content-type': type, ...headers }, body: bytes, isShared: true });
}

/**
 * Whether the browser has this content (RFC 9110, section 13.1.2). Compressing proxies turn entity tags into weak ones.
 */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
