// Prints the 20 slowest files and tests of a run, from the JSON that vitest wrote: node .ci/slowest.mjs <results.json>
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const shown = 20;

/** @param {string} title @param {{ ms: number, name: string }[]} items */
function print(title, items) {
  console.log(`== The ${shown} slowest ${title}, in seconds`);
  for (const { ms, name } of items.sort((one, other) => other.ms - one.ms).slice(0, shown))
    console.log(`${(ms / 1000).toFixed(1).padStart(7)}  ${name}`);
}

const files = testResults.map(({ name, startTime, endTime, assertionResults }) => ({
  ms: endTime - startTime,
  name: relative(process.cwd(), name),
  tests: assertionResults,
}));
print('files', files);
print(
  'tests',
  files.flatMap(({ name, tests }) =>
    tests.map(({ duration, fullName }) => ({ ms: duration ?? 0, name: `${name}: ${fullName}` })),
  ),
);
