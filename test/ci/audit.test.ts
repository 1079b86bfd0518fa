import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderForTest } from '../support/folder-for-test.ts';

const script = fileURLToPath(new URL('../../.ci/audit.mjs', import.meta.url));

/** Runs the script on a report of npm audit. */
function judged(report: unknown, exceptions: unknown) {
  const folder = folderForTest();
  const file = join(folder, 'exceptions.json');
  writeFileSync(file, JSON.stringify(exceptions));
  const input = typeof report === 'string' ? report : JSON.stringify(report);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, file], { input, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const advisory = {
  name: 'pad',
  severity: 'high',
  title: 'Pads for ever',
  url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
};
const vulnerable = { auditReportVersion: 2, vulnerabilities: { pad: { via: [advisory] }, box: { via: ['pad'] } } };
const clean = { auditReportVersion: 2, vulnerabilities: {} };
const explained = [{ advisory: 'GHSA-aaaa-bbbb-cccc', reason: 'The gateway never pads what others send.' }];

test('an advisory without an exception fails with its name', () => {
  const { status, stdout } = judged(vulnerable, []);
  expect(stdout).toContain('GHSA-aaaa-bbbb-cccc (high) in pad: Pads for ever');
  expect(status).toBe(1);
});

test('an advisory with an exception passes; an exception without a reason or an advisory fails', () => {
  expect(judged(vulnerable, explained)).toMatchObject({ status: 0 });
  expect(judged(vulnerable, [{ ...explained[0], reason: 'fine' }])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('needs a reason'),
  });
  expect(judged(clean, explained)).toMatchObject({ status: 1, stdout: expect.stringContaining('remove it') });
  expect(judged(clean, [])).toMatchObject({ status: 0 });
});

test.each([
  ['a refusal', { message: '405 Method Not Allowed', statusCode: 405, error: { summary: '', detail: '' } }, '405'],
  ['no network', { error: { code: 'ENOTFOUND', summary: 'getaddrinfo failed' } }, 'getaddrinfo failed'],
  ['no JSON', 'npm error audit', 'npm error audit'],
  ['nothing', '', 'no answer'],
])('if the registry answers with %s, the audit is skipped with the reason', (_, report, reason) => {
  const { status, stdout } = judged(report, []);
  expect(stdout).toContain('npm audit was skipped');
  expect(stdout).toContain(reason);
  expect(status).toBe(0);
});
