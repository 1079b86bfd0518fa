import { Elysia } from 'elysia';
import { directAnswer } from '../http/direct-answer.ts';
import { Problem } from '../http/problem.ts';
import { type ConsoleFile, readConsoleFiles } from './console-files.ts';

/**
 * No external or inline content. No native form submission, so that an entered token cannot get into a URL. Browsers
 * with trusted types also refuse HTML from strings.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'";

/** The pages; the routes of src/console/web/app/router.tsx are the same. Notifications link to events and incidents. */
const pages = [
  ...[
    '/',
    '/incidents',
    '/incidents/:id',
    '/events',
    '/events/:id',
    '/rejected',
    '/accounts',
    '/accounts/:id',
    '/audit',
    '/backups',
  ],
  ...['/jobs/:id', '/maintenance', '/providers', '/tokens', '/settings'],
];

/** A new build has other names, so that browsers never ask again. */
const forever = 'public, max-age=31536000, immutable';
/** Browsers revalidate at each use, so that page and scripts belong to one release; the response is mostly 304. */
const revalidated = 'no-cache';

/**
 * The console at `/dashboard`. Its pages contain no data and need no token: their script asks the user for a token and
 * reads all data from the admin API. Whether what an address names exists, the page learns from there.
 *
 * @throws StartError when the console was not built.
 */
export function consoleRoutes() {
  const { shell, assets } = readConsoleFiles();
  const app = new Elysia({ name: 'console', prefix: '/dashboard' });
  for (const page of pages) app.get(page, ({ request }) => respond(request, shell, revalidated));
  return app.get('/assets/:file', ({ request, params }) => {
    const file = assets.get(params.file);
    if (!file) throw new Problem('not_found', 'there is nothing at this address');
    return respond(request, file, forever);
  });
}

async function respond(request: Request, file: ConsoleFile, cacheControl: string): Promise<Response> {
  const { bytes, type, etag } = file;
  const headers = {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': cacheControl,
    vary: 'Accept-Encoding',
    // A weak tag, because both encodings share it (RFC 9110, section 8.8.1).
    etag: `W/${etag}`,
  };
  if (isKnown(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  const compressed = acceptsGzip(request.headers.get('accept-encoding')) ? await file.gzip() : null;
  return directAnswer(request, {
    headers: { 'content-type': type, ...(compressed ? { 'content-encoding': 'gzip' } : {}), ...headers },
    body: compressed ?? bytes,
    isShared: true,
  });
}

/** Whether a client takes gzip (RFC 9110, section 12.5.3): named, or by `*`, and not with the quality 0. */
function acceptsGzip(acceptEncoding: string | null): boolean {
  const offers = new Map(
    (acceptEncoding ?? '').split(',').map((part) => {
      const [coding = '', ...parameters] = part.toLowerCase().split(';');
      const quality = parameters.map((one) => /^\s*q=(.*)$/.exec(one)?.[1]).find((one) => one !== undefined);
      return [coding.trim(), Number(quality ?? 1)];
    }),
  );
  return (offers.get('gzip') ?? offers.get('*') ?? 0) > 0;
}

/** Whether the browser has this content (RFC 9110, section 13.1.2). */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
