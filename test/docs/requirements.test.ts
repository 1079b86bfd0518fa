import { expect, test } from 'vitest';
import { readProjectFile } from '../docker/files.ts';
import { projectFiles } from './pages.ts';

const numbers = [...readProjectFile('docs/requirements.md').matchAll(/^\| (R\d+) \| \S/gm)].map(
  ([, number]) => number ?? '',
);

test('each requirement has a unique number', () => {
  expect(numbers.length).toBeGreaterThan(50);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('requirements that comments cite exist', () => {
  const sources = projectFiles.filter((path) => /^(src|workflows|activities|migrations|test)\/.*\.ts$/.test(path));
  const unknown = sources.flatMap((path) =>
    [...readProjectFile(path).matchAll(/^.*(?:\/\/|\*) .*$/gm)]
      .flatMap(([line]) => line.match(/\bR\d{1,2}\b/g) ?? [])
      .filter((number) => !numbers.includes(number))
      .map((number) => `${path}: ${number}`),
  );
  expect(unknown).toEqual([]);
});
