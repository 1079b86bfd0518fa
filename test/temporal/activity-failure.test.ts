import { expect, test } from 'vitest';
import { connectDatabase } from '../../src/database/database.ts';
import { createLog } from '../../src/shared/log.ts';
import { activityFailure } from '../../src/temporal/activity-failure.ts';
import { freshDatabase } from '../support/database.ts';
import { forTest } from '../support/use.ts';

test.each([
  ['an error of the program', new TypeError('secret'), 'Bug', true],
  ['an error of the machine', Object.assign(new Error('secret'), { code: 'EMFILE' }), 'Unexpected', false],
  ['what is not an error', 'secret', 'Unexpected', false],
])('%s', (_, error, type, nonRetryable) => {
  const failure = activityFailure(error);
  expect(failure).toMatchObject({ type, nonRetryable: nonRetryable || expect.toBeOneOf([false, null, undefined]) });
  expect(JSON.stringify([failure.message, failure.details, failure.cause])).not.toContain('secret');
});

test.each([
  ['a value that PostgreSQL refuses', `select 'secret'::uuid`, 'RefusedData', true],
  ['a missing table', 'select 1 from secret', 'Database', false],
])('%s', async (_, statement, type, nonRetryable) => {
  const database = await forTest(connectDatabase({ url: await freshDatabase(), log: createLog('silent') }));
  const error = await database.pool.query(statement).catch((reason: unknown) => reason);
  const failure = activityFailure(error);
  expect(failure).toMatchObject({ type, nonRetryable: nonRetryable || expect.toBeOneOf([false, null, undefined]) });
  expect(JSON.stringify([failure.message, failure.details, failure.cause])).not.toContain('secret');
});
