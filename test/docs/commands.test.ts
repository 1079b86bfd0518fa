import { expect, test } from 'vitest';
import { z } from 'zod';
import { readProjectFile } from '../docker/files.ts';
import { codeOf, pages, projectFiles } from './pages.ts';

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readProjectFile('package.json')));
const { paths } = z
  .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
  .parse(JSON.parse(readProjectFile('openapi.json')));

const methods = ['get', 'post', 'patch', 'put', 'delete'];
/** `GET /admin/events/{}` for every operation, without the names of parameters. */
const operations = new Set(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => methods.includes(method))
      .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`),
  ),
);
const withoutParameters = (path: string) => path.replaceAll(/\{[^}]*\}|\$\w+/g, '{}').replace(/\?.*/, '');

test("README has the project's start and test commands", () => {
  expect(codeOf('README.md', 'sh').join('\n')).toMatch(/^npm ci && npm start\b/m);
  expect(codeOf('README.md', 'sh').join('\n')).toMatch(/^npm ci && npm test\b/m);
});

test('README stays short: further content belongs in docs/', () => {
  expect(readProjectFile('README.md').split('\n').length).toBeLessThanOrEqual(220);
});

/** The results of `found` for each page, with the page's name. */
const inPages = (found: (text: string) => string[]) =>
  pages.flatMap((page) => found(readProjectFile(page)).map((what) => `${page}: ${what}`));

test('pages name only scripts of package.json', () => {
  const unknown = inPages((text) =>
    [...text.matchAll(/\bnpm run (?:--\w+ )?([a-z][\w-]*)/g)]
      .map(([, name]) => name ?? '')
      .filter((name) => !Object.hasOwn(scripts, name)),
  );
  expect(unknown).toEqual([]);
});

/** docs/threats.md names tests by their paths below test/. */
const exists = (path: string) =>
  [path, `test/${path}`].some((name) => projectFiles.some((file) => file === name || file.startsWith(`${name}/`)));

test('pages name only source files, tests and folders that exist', () => {
  const unknown = inPages((text) =>
    [
      ...text.matchAll(/[` ]((?:src|test|workflows|activities|migrations|docker|deploy|\.ci)\/[\w./-]+)/g),
      ...text.matchAll(/`([\w/-]+\.test\.ts)`/g),
    ]
      .map(([, path = '']) => path.replace(/[./]$/, ''))
      // The example provider of docs/adding-a-provider.md.
      .filter((path) => !/\/acme\b/.test(path) && !exists(path)),
  );
  expect(unknown).toEqual([]);
});

/** The calls in a page, as `METHOD /path` or in commands. */
function callsIn(text: string): string[] {
  const named = [...text.matchAll(/`((?:[A-Z]+`, `)*[A-Z]+) (\/(?:admin|health)\/[^`\s]*)`/g)].flatMap(
    ([, verbs = '', path = '']) => verbs.split('`, `').map((verb) => `${verb} ${withoutParameters(path)}`),
  );
  const shown = [
    ...text.matchAll(/\bcurl (?:-X ([A-Z]+) )?"?(?:\$GATEWAY|http:\/\/127\.0\.0\.1:8080)(\/admin\/[^"\s]*)/g),
  ].map(([, verb = 'GET', path = '']) => `${verb} ${withoutParameters(path)}`);
  return [...named, ...shown];
}

/** A path may have a value in place of a parameter, such as the name of a maintenance task. */
const isKnown = (call: string) =>
  operations.has(call) ||
  [...operations].some((known) => new RegExp(`^${known.replaceAll('{}', '[^/]+')}$`).test(call));

test('pages name only calls of the admin API that exist', () => {
  expect(pages.flatMap((page) => callsIn(readProjectFile(page))).length).toBeGreaterThan(60);
  expect(inPages((text) => callsIn(text).filter((call) => !isKnown(call)))).toEqual([]);
});

test('docs/admin-api.md names every operation of the admin API', () => {
  const named = new Set(callsIn(readProjectFile('docs/admin-api.md')));
  expect([...operations].filter((call) => / \/(admin|health)\//.test(call) && !named.has(call))).toEqual([]);
});
