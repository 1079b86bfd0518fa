// Makes a release of what is committed: npm run release -- <version>
// Dates the changelog's "Unreleased" section, sets the version in package.json, package-lock.json and openapi.json, commits, and tags
// the commit. Pushes nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

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

const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) refuse('Say which version, as in: npm run release -- 0.2.0');
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
git('commit', '--quiet', '--all', '--message', `Release ${version}`);
git('tag', '--annotate', tag, '--message', `Release ${version}`);
console.log(`Committed and tagged ${tag}. To publish it: git push origin HEAD ${tag}`);
