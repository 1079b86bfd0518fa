// Makes a release of what is committed: npm run release -- <version>
// Dates the changelog's "Unreleased" section, sets the version in package.json, package-lock.json, openapi.json, the image
// of docker-compose.yml and of the documented commands, the label of the Dockerfile and the chart, records the hashes of
// new files of migrations/ and of changed functions, commits, and tags the commit. Pushes nothing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { gt } from 'semver';

const unreleased = '## Unreleased\n';

/** @param {string} reason */
function refuse(reason) {
  console.error(reason);
  process.exit(1);
}

/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** @param {string} file @param {(content: any) => void} change */
function changeJson(file, change) {
  const content = JSON.parse(readFileSync(file, 'utf8'));
  change(content);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

/** @param {string} file @param {RegExp} pattern @param {string} replacement */
function changeText(file, pattern, replacement) {
  writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, replacement));
}

const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) refuse('Say which version, as in: npm run release -- 0.2.0');
const present = JSON.parse(readFileSync('package.json', 'utf8')).version;
if (!gt(version, present)) refuse(`${version} is not later than ${present}, the present version.`);
const tag = `v${version}`;
if (git('status', '--porcelain') !== '') refuse('There are changes that are not committed: commit or drop them first.');
if (git('tag', '--list', tag) !== '') refuse(`The tag ${tag} exists already.`);

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const [before, after] = changelog.split(unreleased);
if (after === undefined) refuse(`CHANGELOG.md has no section "${unreleased.trim()}".`);
const [section = ''] = after.split(/^## /m);
if (section.trim() === '') refuse('The section "Unreleased" of CHANGELOG.md is empty: there is nothing to release.');

const date = new Date().toISOString().slice(0, 10);
writeFileSync('CHANGELOG.md', `${before}${unreleased}\n## ${version} - ${date}\n${after}`);
changeJson('package.json', (content) => Object.assign(content, { version }));
changeJson('package-lock.json', (content) => {
  content.version = version;
  content.packages[''].version = version;
});
changeJson('openapi.json', (content) => Object.assign(content.info, { version }));
// From now on these files must not change, but for the functions: test/database/migration-rules.test.ts.
changeJson('migrations/released.json', (releases) => {
  const known = Object.assign({}, ...Object.values(releases));
  const files = globSync(['Migration*.ts', 'functions/*.sql', 'schema/*.sql'], { cwd: 'migrations' }).sort();
  const hashes = files.map((file) => [
    file,
    createHash('sha256')
      .update(readFileSync(`migrations/${file}`))
      .digest('hex'),
  ]);
  releases[version] = Object.fromEntries(hashes.filter(([file, hash]) => known[file] !== hash));
});
changeText('docker-compose.yml', /^( {2}image: webhook-gateway:).*$/m, `$1${version}`);
for (const file of ['docs/kubernetes.md', 'test/docs/not-run.ts'])
  changeText(file, /(registry\.example\.com\/webhook-gateway:)\d+\.\d+\.\d+/g, `$1${version}`);
changeText('Dockerfile', /(org\.opencontainers\.image\.version=)"[^"]*"/, `$1"${version}"`);
changeText('deploy/helm/webhook-gateway/Chart.yaml', /^((?:version|appVersion): ).*$/gm, `$1${version}`);
git('commit', '--quiet', '--all', '--message', `Release ${version}`);
git('tag', '--annotate', tag, '--message', `Release ${version}`);
console.log(`Committed and tagged ${tag}. To publish it: git push origin HEAD ${tag}`);
