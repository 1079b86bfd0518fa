// Prints each test that failed, with its first error, from the JSON that vitest wrote: node .ci/failures.mjs <results.json>
// A run prints thousands of lines, and the end of them has to say what to mend.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const shownCharacters = 4_000; // enough for the assertion, an event with the history of its workflow, and the place in the test

for (const { name, status, message, assertionResults } of testResults) {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  // A file that could not be loaded has failed without a test.
  if (status === 'failed' && failed.length === 0) print(file, message);
  for (const { fullName, failureMessages } of failed) print(`${file}: ${fullName}`, failureMessages[0]);
}

/** @param {string} title @param {string | undefined} error */
function print(title, error) {
  console.log(`== FAILED ${title}`);
  console.log((error ?? '').slice(0, shownCharacters).replaceAll(/^/gm, '    '));
}
