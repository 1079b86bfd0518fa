import { expect, test } from 'vitest';
import { problemOf } from '../../src/cli/answered.ts';
import { problems } from '../../src/http/problem.ts';
import { runCli } from './support.ts';

test.each(Object.entries(problems))('the error of a problem %s says what to do', (code, [status, title]) => {
  expect(problemOf(status, { code, title, status, detail: 'what happened' })).toMatchObject({
    message: 'what happened',
    next: expect.stringMatching(/^.{10,}[.?]$/),
  });
});

test.each([400, 404, 418, 429, 502, 520])('so does that of another server that answers with %i', (status) => {
  expect(problemOf(status, '<h1>No gateway</h1>')).toMatchObject({
    message: `the gateway answered with status ${status}`,
    next: expect.stringMatching(/^.{10,}[.?]$/),
  });
});

test.each([
  ['a mistyped command', ['acounts']],
  ['an option that is not known', ['status', '--wide']],
  ['a missing argument', ['events', 'show']],
])('%s ends with 2 and names --help', async (_, args) => {
  expect(await runCli(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Add --help') });
});
