import { expect, test } from 'vitest';
import { foldedEntries } from '../../src/console/web/pages/event/timeline/folded-entries.ts';
import type { Entry } from '../../src/console/web/pages/event/timeline/timeline-entries.ts';

/** The attempt with that number, which was answered 500. */
const attempt = (number: number) =>
  ({
    ...{ kind: 'attempt', key: `attempt ${number}`, atMs: number, endMs: number },
    attempt: { outcome: 'http_error', response_code: 500, generation: 0, error: null },
  }) as Entry;

test('the next equal attempt joins a fold that is open, and does not close it', () => {
  const [before] = foldedEntries([3, 2, 1].map(attempt));
  const [after] = foldedEntries([4, 3, 2, 1].map(attempt));
  expect(before).toMatchObject({ kind: 'fold', key: 'fold attempt 1' });
  expect(after).toMatchObject({ kind: 'fold', key: 'fold attempt 1' });
});

test('two equal attempts are not folded', () => {
  expect(foldedEntries([2, 1].map(attempt)).map(({ kind }) => kind)).toEqual(['one', 'one']);
});
