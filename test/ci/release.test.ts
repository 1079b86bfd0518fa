import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readProjectFile } from '../docker/files.ts';
import { folderForTest } from '../support/folder-for-test.ts';

const script = fileURLToPath(new URL('../../.ci/release.mjs', import.meta.url));
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));
const copied = [
  ...(['package.json', 'package-lock.json', 'openapi.json', 'CHANGELOG.md', 'docker-compose.yml'] as const),
  ...(['Dockerfile', 'deploy/helm/webhook-gateway/Chart.yaml', 'docs/kubernetes.md', 'test/docs/not-run.ts'] as const),
];

/** Without the settings of the user, who may sign commits or have hooks. */
const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** Creates a repository with the files that a release changes. */
function repository(changelog = readProjectFile('CHANGELOG.md')) {
  const folder = folderForTest();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
  for (const name of copied) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), readProjectFile(name));
  }
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  cpSync(migrations, join(folder, 'migrations'), { recursive: true });
  git('init', '--quiet');
  git('config', 'user.name', 'Tester');
  git('config', 'user.email', 'tester@gateway.test');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  const release = (version: string) =>
    spawnSync(process.execPath, [script, version], { cwd: folder, env, encoding: 'utf8' });
  const file = (name: (typeof copied)[number]) => readFileSync(join(folder, name), 'utf8');
  return { folder, git, release, file };
}

const changelog =
  '# Changelog\n\n## Unreleased\n\n### Added\n\n- Something.\n\n## 0.0.1 - 2026-01-01\n\n- The first.\n';

test('a release dates the section, sets every version, commits and tags', () => {
  const { git, release, file } = repository(changelog);
  const { status, stderr } = release('9.8.7');
  expect([status, stderr]).toEqual([0, '']);
  const today = new Date().toISOString().slice(0, 10);
  expect(file('CHANGELOG.md')).toBe(changelog.replace('## Unreleased\n', `## Unreleased\n\n## 9.8.7 - ${today}\n`));
  expect(JSON.parse(file('package.json')).version).toBe('9.8.7');
  expect(JSON.parse(file('package-lock.json')).packages[''].version).toBe('9.8.7');
  expect(JSON.parse(file('openapi.json')).info.version).toBe('9.8.7');
  expect(file('docker-compose.yml')).toContain('  image: webhook-gateway:9.8.7\n');
  expect(file('Dockerfile')).toContain('org.opencontainers.image.version="9.8.7"');
  expect(file('deploy/helm/webhook-gateway/Chart.yaml')).toMatch(/^version: 9\.8\.7\nappVersion: 9\.8\.7$/m);
  for (const name of ['docs/kubernetes.md', 'test/docs/not-run.ts'] as const) {
    const tags = [...file(name).matchAll(/webhook-gateway:(\d[\w.]*)/g)].map(([, tag]) => tag);
    expect(new Set(tags)).toEqual(new Set(['9.8.7']));
  }
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '-1', '--format=%s')).toBe('Release 9.8.7');
  expect(git('describe', '--exact-match')).toBe('v9.8.7');
  // Only the versions have changed.
  expect(git('diff', '--shortstat', 'HEAD~1', '--', 'package.json', 'openapi.json')).toContain(
    '2 insertions(+), 2 deletions(-)',
  );
});

test('a release without entries, with uncommitted changes or of no later version is refused', () => {
  const { folder, git, release } = repository(changelog);
  expect(release('next')).toMatchObject({ status: 1, stderr: expect.stringContaining('npm run release -- 0.2.0') });
  writeFileSync(join(folder, 'CHANGELOG.md'), 'changed');
  expect(release('9.8.7')).toMatchObject({ status: 1, stderr: expect.stringContaining('not committed') });
  git('checkout', '--quiet', 'CHANGELOG.md');
  expect(release('9.8.7').status).toBe(0);
  for (const version of ['9.8.7', '0.1.0']) {
    const refusal = `${version} is not later than 9.8.7`;
    expect(release(version)).toMatchObject({ status: 1, stderr: expect.stringContaining(refusal) });
  }
  expect(release('9.8.8')).toMatchObject({ status: 1, stderr: expect.stringContaining('nothing to release') });
  git('tag', 'v9.9.0');
  expect(release('9.9.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('exists already') });
  expect(git('tag', '--list')).toBe('v9.8.7\nv9.9.0');
});

test('a release records the hashes of the migrations that it adds, and of the functions that it changes', () => {
  const { folder, git, release } = repository(changelog);
  writeFileSync(join(folder, 'migrations', 'schema', 'added.sql'), '-- new\n');
  writeFileSync(join(folder, 'migrations', 'functions', 'added.sql'), '-- new\n');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Add a table and a function');
  expect(release('9.8.7').status).toBe(0);
  const recorded = JSON.parse(readFileSync(join(folder, 'migrations', 'released.json'), 'utf8'));
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(recorded['9.8.7']).toMatchObject({ 'schema/added.sql': hash, 'functions/added.sql': hash });
  expect(Object.keys(recorded['9.8.7'])).not.toContain('schema/accounts.sql');

  writeFileSync(join(folder, 'migrations', 'functions', 'added.sql'), '-- changed\n');
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  git('commit', '--quiet', '--all', '--message', 'Change the function');
  expect(release('9.8.8').status).toBe(0);
  const again = JSON.parse(readFileSync(join(folder, 'migrations', 'released.json'), 'utf8'));
  expect(again['9.8.8']).toEqual({ 'functions/added.sql': hash });
  expect(again['9.8.8']).not.toEqual({ 'functions/added.sql': recorded['9.8.7']['functions/added.sql'] });
});

test('the changelog of this project can be released', () => {
  expect(repository().release('9.8.7')).toMatchObject({ status: 0 });
});
