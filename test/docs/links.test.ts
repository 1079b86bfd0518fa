import { dirname, normalize } from 'node:path/posix';
import { expect, test } from 'vitest';
import { readProjectFile } from '../docker/files.ts';
import { anchorsOf, pages, projectFiles, proseOf } from './pages.ts';

const files = new Set(projectFiles);
const isFileOrFolder = (path: string) =>
  files.has(path) || projectFiles.some((file) => file.startsWith(`${path.replace(/\/$/, '')}/`));

/** The error of a link in `page`; null if its target exists. */
function mistake(page: string, link: string): string | null {
  const [, path = '', anchor] = /^([^#]*)(?:#(.*))?$/.exec(link) ?? [];
  const target = path === '' ? page : normalize(`${dirname(page)}/${path}`);
  if (!isFileOrFolder(target)) return `${page}: ${link}: there is no ${target}`;
  if (anchor === undefined) return null;
  return target.endsWith('.md') && anchorsOf(target).has(anchor) ? null : `${page}: ${link}: no such heading`;
}

const linksOf = (text: string) => [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link ?? '');

test('every link to a file or heading of the project has an existing target', () => {
  expect(pages.length).toBeGreaterThan(40);
  expect(pages.flatMap((page) => linksOf(proseOf(page)).flatMap((link) => mistake(page, link) ?? []))).toEqual([]);
});

test('a link to a missing file or heading is found', () => {
  const bad = ['missing.md', '#no-such-heading', 'docs/delivery.md#no-such-heading', 'docs/missing.md#schedule'];
  expect(bad.flatMap((link) => mistake('README.md', link) ?? [])).toHaveLength(bad.length);
  expect(mistake('README.md', 'docs/delivery.md#schedule')).toBe(null);
});

test('every page is linked from another page', () => {
  const linked = new Set(
    pages.flatMap((page) =>
      linksOf(proseOf(page)).flatMap((link) => {
        const target = normalize(`${dirname(page)}/${link.replace(/#.*/, '')}`);
        return target === page ? [] : [target];
      }),
    ),
  );
  // Git hosts show the README of the project and of docs/ by themselves.
  const entries = ['README.md', 'docs/README.md'];
  expect(pages.filter((page) => !linked.has(page) && !entries.includes(page))).toEqual([]);
});

test('pages and headings that code and configuration cite exist', () => {
  const sources = projectFiles.filter(
    (path) =>
      (/^(src|workflows|activities|migrations|docker|deploy|test)\//.test(path) &&
        path !== 'test/docs/links.test.ts') ||
      ['.env.example', 'docker-compose.yml', 'Dockerfile', 'docs/systemd/webhook-gateway.service'].includes(path),
  );
  const named = sources.flatMap((path) =>
    // Not a docs/ folder elsewhere, as in https://…/docs/….
    [...readProjectFile(path).matchAll(/(?<![\w.-]\/)\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([link]) => ({
      path,
      link,
    })),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.flatMap(({ path, link }) => (mistake('README.md', link) ? [`${path}: ${link}`] : []))).toEqual([]);
});
