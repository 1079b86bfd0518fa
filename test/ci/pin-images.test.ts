import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { readProjectFile } from '../docker/files.ts';
import { folderForTest } from '../support/folder-for-test.ts';

const script = fileURLToPath(new URL('../../.ci/pin-images.mjs', import.meta.url));
const files = ['Dockerfile', 'docker-compose.yml'] as const;

/** Any digest will do, as long as each tag has its own. */
const digestOf = (path: string, tag: string) => `sha256:${createHash('sha256').update(`${path}:${tag}`).digest('hex')}`;

/** A registry that speaks the manifest API with a token challenge, as Docker Hub does. */
async function startRegistry(options: { missing?: string } = {}) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    if (url.pathname === '/token') {
      const scope = url.searchParams.get('scope') ?? '';
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ token: `for ${url.searchParams.get('service')} ${scope}` }));
      return;
    }
    const [, path = '', tag = ''] = /^\/v2\/(.+)\/manifests\/([^/]+)$/.exec(url.pathname) ?? [];
    const scope = `repository:${path}:pull`;
    if (request.headers.authorization !== `Bearer for registry.test ${scope}`) {
      response.writeHead(401, {
        'www-authenticate': `Bearer realm="${url.origin}/token",service="registry.test",scope="${scope}"`,
      });
      response.end();
      return;
    }
    asked.push(`${request.method} ${path}:${tag}`);
    const isIndex = request.headers.accept?.startsWith('application/vnd.oci.image.index.v1+json');
    if (path === options.missing || !isIndex) response.statusCode = 404;
    else response.setHeader('docker-content-digest', digestOf(path, tag));
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
  });
  return { mirror: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
}

/** The files that name images, in a folder of their own. */
function checkout() {
  const folder = folderForTest();
  for (const name of files) writeFileSync(join(folder, name), readProjectFile(name).replaceAll(/@sha256:\w+/g, ''));
  return {
    read: () => files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n'),
    pin: (...args: string[]) =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
        execFile(process.execPath, [script, ...args], { cwd: folder }, (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, stdout, stderr }),
        );
      }),
  };
}

test('every image but that of the gateway gets the digest of its tag, and nothing else changes', async () => {
  const { mirror, asked } = await startRegistry();
  const { read, pin } = checkout();
  const before = read();
  expect(await pin('--mirror', mirror)).toMatchObject({ code: 0, stderr: '' });
  const after = read();
  const named = [...after.matchAll(/^(?:FROM| +image:) (\S+)/gm)].map(([, image = '']) => image);
  expect(named.length).toBeGreaterThan(10);
  for (const image of named.filter((name) => !name.startsWith('webhook-gateway:'))) {
    const [, path = '', tag = '', digest] = /^([^:]+):([^@]+)@(.+)$/.exec(image) ?? [];
    expect([image, digest]).toEqual([image, digestOf(path.includes('/') ? path : `library/${path}`, tag)]);
  }
  expect(after.replaceAll(/@sha256:\w+/g, '')).toBe(before);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked).toContain('HEAD library/postgres:18.4-bookworm');
});

test('pinning again writes the digests of today', async () => {
  const { mirror } = await startRegistry();
  const { read, pin } = checkout();
  await pin('--mirror', mirror);
  const once = read();
  expect(await pin('--mirror', mirror)).toMatchObject({ code: 0 });
  expect(read()).toBe(once);
});

test('an image that the registry does not have leaves all files as they were', async () => {
  const { mirror } = await startRegistry({ missing: 'library/nginx' });
  const { read, pin } = checkout();
  const before = read();
  const { code, stderr } = await pin('--mirror', mirror);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/nothing was written\. nginx:\S+: .* was answered 404/)]);
  expect(read()).toBe(before);
});

test('without a registry, the error says what it needs', async () => {
  const { mirror, server } = await startRegistry();
  await new Promise((resolve) => server.close(resolve));
  const { read, pin } = checkout();
  const before = read();
  const { code, stderr } = await pin('--mirror', mirror);
  expect(code).toBe(1);
  expect(stderr).toMatch(/ECONNREFUSED[\s\S]*This needs a registry/);
  expect(read()).toBe(before);
});

test('images that are named are printed with their digests, for the Helm chart', async () => {
  const { mirror } = await startRegistry();
  const { read, pin } = checkout();
  const before = read();
  const { stdout } = await pin('--mirror', mirror, 'example/webhook-gateway:1.2.3');
  expect(stdout).toBe(`example/webhook-gateway:1.2.3@${digestOf('example/webhook-gateway', '1.2.3')}\n`);
  expect(read()).toBe(before);
  expect(await pin('webhook-gateway')).toMatchObject({ code: 1, stderr: expect.stringContaining('with a tag') });
});
