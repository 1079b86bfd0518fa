// Prints the tests that ran in one run and not in another, from the JSON that vitest wrote:
// node .ci/gone-tests.mjs <before.json> <after.json>. Exits with 1 if there is one.
// A test that has moved to another file is listed with that file.
import { readFileSync } from 'node:fs';

/** @param {string} path @returns {{ file: string, test: string, status: string }[]} */
function testsIn(path) {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'));
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({
      // The two runs may have been in different folders.
      file: name.slice(name.lastIndexOf('/test/') + 1),
      test: fullName,
      status,
    })),
  );
}

const [before, after] = process.argv.slice(2, 4).map(testsIn);
const ran = (tests) => tests.filter(({ status }) => status === 'passed' || status === 'failed');
const key = ({ file, test }) => `${file}: ${test}`;
const now = new Set(ran(after).map(key));
const files = new Map(ran(after).map(({ file, test }) => [test, file]));
const gone = ran(before).filter((each) => !now.has(key(each)));
const known = new Set(ran(before).map(key));

console.log(
  `${ran(before).length} tests ran before, ${ran(after).length} after; ${[...now].filter((name) => !known.has(name)).length} are new`,
);
if (gone.length > 0) {
  console.log('\n| file | gone | where a test of that name is now |\n| --- | --- | --- |');
  const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  for (const { file, test } of gone) console.log(`| ${file} | ${cell(test)} | ${files.get(test) ?? ''} |`);
  process.exitCode = 1;
}
