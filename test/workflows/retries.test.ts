import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../workflows/', import.meta.url));

/** Each retry policy of the workflows: where it is, its text, and the comment before it. */
const policies = readdirSync(folder).flatMap((file) => {
  const text = readFileSync(`${folder}${file}`, 'utf8');
  return [...text.matchAll(/((?:^ *\/\/.*\n)*)^.*\bretry: (\{[^}]*\})/gm)].map(([, comment = '', policy = '']) => ({
    at: `${file}: ${policy}`,
    ...{ comment, policy },
  }));
});

test('each retry policy without a number of attempts has a comment that says why, and what ends it', () => {
  expect(policies.length).toBeGreaterThanOrEqual(5);
  const endless = policies.filter(({ policy }) => !policy.includes('maximumAttempts'));
  expect(endless.length).toBeGreaterThanOrEqual(3);
  expect(endless.filter(({ comment }) => !/without (an? )?(end|number)/i.test(comment)).map(({ at }) => at)).toEqual(
    [],
  );
});
