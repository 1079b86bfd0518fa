import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Elysia } from 'elysia';
import { directAnswer } from '../../http/direct-answer.ts';
import { Problem } from '../../http/problem.ts';

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;
type File = keyof typeof files;
const isFile = (name: string): name is File => Object.hasOwn(files, name);

const page = Buffer.from(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Webhook gateway API</title>
    <link rel="icon" href="/openapi/assets/favicon-32x32.png">
    <link rel="stylesheet" href="/openapi/assets/swagger-ui.css">
    <style>body { margin: 0 } .swagger-ui .topbar { display: none }</style>
  </head>
  <body>
    <div id="api"></div>
    <script src="/openapi/assets/swagger-ui-bundle.js"></script>
    <script src="/openapi/assets/start.js"></script>
  </body>
</html>
`);

const start = Buffer.from(`SwaggerUIBundle({
  url: '/openapi/json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`);

/** No external content. Swagger UI needs inline styles and images from data URLs. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** The files change only with a release. */
const cached = 'public, max-age=3600';

/**
 * `/openapi`: the interactive documentation (Swagger UI, served by the gateway), and `/openapi/json`, the document
 * itself.
 *
 * Elysia's plugin for this page is not used: its page loads Swagger UI from another host and starts it by an inline
 * script, which `policy` refuses, and the document would be the plugin's own.
 *
 * @param document called at the first request, when all routes are known.
 */
export function docsRoutes(document: () => unknown) {
  let json: Uint8Array | null = null;
  const read = new Map<File, Buffer>();
  const respond = (request: Request, bytes: Uint8Array, type: string, headers: Record<string, string> = {}) =>
    directAnswer(request, {
      headers: { 'content-type': type, 'x-content-type-options': 'nosniff', ...headers },
      body: bytes,
      isShared: true,
    });
  return new Elysia({ name: 'docs', prefix: '/openapi' })
    .get('/', ({ request }) =>
      respond(request, page, 'text/html; charset=utf-8', { 'content-security-policy': policy }),
    )
    .get('/json', ({ request }) => {
      json ??= Buffer.from(`${JSON.stringify(document(), null, 2)}\n`);
      return respond(request, json, 'application/json');
    })
    .get('/assets/:file', ({ request, params }) => {
      if (params.file === 'start.js')
        return respond(request, start, 'text/javascript; charset=utf-8', { 'cache-control': cached });
      if (!isFile(params.file)) throw new Problem('not_found', 'there is nothing at this address');
      const bytes = read.get(params.file) ?? readFileSync(join(swaggerUi, params.file));
      read.set(params.file, bytes);
      return respond(request, bytes, files[params.file], { 'cache-control': cached });
    });
}
