import { beforeAll, expect, test } from 'vitest';
import { migratedDatabase } from '../support/database.ts';
import { openClient } from '../support/one-connection.ts';
import { useForAll } from '../support/use.ts';
import { draw, perShare, seed } from './draw.ts';
import { readDrawn, root } from './drawn.ts';
import { idOf, type Mutant } from './mutant.ts';
import { mutated, placeOf } from './place.ts';
import { Reach } from './reach.ts';
import { editsOf, readIn, shares } from './shares.ts';
import { validWith } from './validity.ts';

let drawn: Mutant[];
const client = useForAll(
  async () => openClient(await migratedDatabase()),
  (opened) => opened.end(),
);
beforeAll(async () => {
  drawn = await draw(root, seed, validWith(client));
});

const committed = readDrawn().mutants;

test('the same seed draws the same mutants, and another seed draws others', async () => {
  expect(await draw(root, seed, validWith(client))).toEqual(drawn);
  expect((await draw(root, seed + 1, validWith(client))).map(idOf)).not.toEqual(drawn.map(idOf));
});

test.each(shares)('$name has an equal share', ({ name }) => {
  for (const mutants of [drawn, committed])
    expect(mutants.filter(({ share }) => share === name)).toHaveLength(perShare);
});

test('a change that PostgreSQL cannot parse is not drawn', async () => {
  const isValid = validWith(client);
  const of = (before: string, after: string) =>
    isValid('a.ts', { kind: 'clause', start: 0, end: 0, after: '', statement: { before, after } }, '');
  expect(await of('select 1', 'select 2')).toBe(true);
  expect(await of('select 1', 'select from where')).toBe(false);
  // A part of a statement that is put together elsewhere.
  expect(await of('select 1 from', 'select 2 from')).toBe(true);
  expect(await isValid('a.ts', { kind: 'call', start: 0, end: 0, after: '' }, 'if (')).toBe(false);
  const body = 'create or replace function start_of_hour(at timestamptz) returns timestamptz language sql as';
  expect(await isValid('a.sql', { kind: 'call', start: 0, end: 0, after: '' }, `${body} $$ select at $$`)).toBe(true);
  expect(await isValid('a.sql', { kind: 'call', start: 0, end: 0, after: '' }, `${body} $$ select it $$`)).toBe(false);
});

test('each committed mutant is at its place in the sources, or gone', () => {
  expect(committed.map(({ number }) => number)).toEqual(committed.map((_, index) => index + 1));
  expect(new Set(committed.map(idOf)).size).toBe(committed.length);
  for (const mutant of committed) {
    const source = readIn(root, mutant.file);
    const at = placeOf(mutant, source);
    if (at === null) continue;
    expect(source.slice(at, at + mutant.before.length)).toBe(mutant.before);
    expect(mutated(mutant, source)).not.toBe(source);
    // It is one of today's changes, so it is in no comment, import, type or text.
    const edits = editsOf(mutant.file, source).filter(({ start, after }) => start === at && after === mutant.after);
    expect(
      edits.map(({ end }) => source.slice(at, end)),
      `mutant ${mutant.number}`,
    ).toContain(mutant.before);
  }
});

test('a place that has moved is found by the text around it, and else it is gone', () => {
  const source = 'first line\n'.repeat(10);
  const mutant = { ...({} as Mutant), lead: 'if (', before: 'a < b', trail: ') return;', after: 'true', offset: 4 };
  expect(placeOf(mutant, 'if (a < b) return;')).toBe(4);
  expect(mutated(mutant, `${source}if (a < b) return;`)).toBe(`${source}if (true) return;`);
  expect(placeOf(mutant, `${source}if (a > b) return;`)).toBeNull();
  expect(placeOf(mutant, `${source}if (a < b) return;\nif (a < b) return;`)).toBeNull();
});

test('tests that import a file are run first, and no test of the hashes of released files is run for a function', () => {
  const reach = new Reach(root);
  const [near, ...others] = reach.stepsOf({ share: 'src/delivery', file: 'src/delivery/backoff.ts' });
  expect(near?.tests[0]).toBe('test/delivery/backoff.test.ts');
  expect(others.map(({ name }) => name)).toEqual(['folders', 'e2e']);
  const all = [near, ...others].flatMap((step) => step?.tests ?? []);
  expect(new Set(all).size).toBe(all.length);
  for (const { file, share } of committed) {
    const tests = reach.stepsOf({ file, share }).flatMap((step) => step.tests);
    expect(tests.length).toBeGreaterThan(10);
    if (file.endsWith('.sql')) expect(tests).not.toContain('test/database/migration-rules.test.ts');
  }
});
