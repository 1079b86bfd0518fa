import { expect, test } from 'vitest';
import { typescriptEdits } from './typescript-edits.ts';

/** Such as `< → <=`. */
const edits = (source: string) =>
  typescriptEdits('a.ts', source).map(({ start, end, after }) => `${source.slice(start, end)} → ${after}`);

test('comparisons, boolean operators, constants, branches and calls are changed', () => {
  expect(edits('const a = b < c && !d;')).toEqual(['&& → ||', '< → <=', '< → >=', '! → ']);
  expect(edits('const a = [0, 7, 30_000, true];')).toEqual(['0 → 1', '7 → 8', '30_000 → 0', 'true → false']);
  expect(edits('if (a) b = c ? d : e;')).toEqual(['a → true', 'a → false', 'd : e → e : d']);
  expect(edits('await stop(); void f?.();')).toEqual(['await stop(); → ;', 'void f?.(); → ;']);
});

test('comments, imports, types and texts stay', () => {
  expect(
    edits(`
      import a from './a-1.ts';
      export * from './b-2.ts';
      /** a < 3 && !b */
      type A = 1 | true extends 2 ? 'x' : 'y';
      interface B { c: 5; d?: (e: 7) => void }
      const f = 'a < 3 and b' as const satisfies 'a < 3 and b';
      const g = \`1 < 2 \${f} and select 3 < 4\`;
      function h<T extends 1>(i: T, j: 2): asserts i is 3 {}
    `),
  ).toEqual([]);
  expect(edits('const a = b /* < */ < /* < */ c;')).toEqual(['< → <=', '< → >=']);
});

test('what is only logged or said stays', () => {
  expect(edits(`log.info({ n: 1 }, 'done'); this.#log.warn(a < 1); log[b ? 'info' : 'warn']('x');`)).toEqual([]);
  expect(edits(`if (n > 0) log.info('done');`)).toEqual([]);
  expect(edits(`throw new TypeError(n === 1 ? 'one' : 'many');`)).toEqual([]);
  expect(edits(`z.number().describe(a ? 'b' : 'c');`)).toEqual([]);
});

test('SQL statements in literals are changed, with their comments and holes left alone', () => {
  expect(
    edits(
      `const a = { text: \`\n  with e as (select * from t) -- and a < b\n  select \${a ? b : c} from e where f and not \${isPaused}\` };`,
    ),
  ).toEqual(['f and → ', 'and → or', `and not \${isPaused} → `, 'not → ', 'b : c → c : b']);
});
