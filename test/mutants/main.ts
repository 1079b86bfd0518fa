import { commandOf } from '../support/command.ts';
import { withDatabase } from './database.ts';
import { draw } from './draw.ts';
import { readDrawn, root, writeDrawn } from './drawn.ts';
import { inWords } from './mutant.ts';
import { readOptions, usage } from './options.ts';
import { placeOf } from './place.ts';
import { comparisonTable, sharesTable, survivors } from './report.ts';
import { isWorse, readResults, survivorsOfBoth } from './results.ts';
import { runMutants } from './run-mutants.ts';
import { readIn } from './shares.ts';
import { validWith } from './validity.ts';

/**
 * `npm run mutants`: changes the code in one place at a time, and reports the changes that no test notices
 * (CONTRIBUTING.md). The changes are those of drawn.json, which `--draw` writes and `--list` prints.
 */
const options = commandOf(readOptions, usage, 2);
if (options.does === 'draw')
  writeDrawn(options.seed, await withDatabase((client) => draw(root, options.seed, validWith(client))));

const mutants = readDrawn().mutants.filter(({ number }) => options.wants(number));
if (options.does === 'run') await run();
else
  for (const mutant of mutants) {
    const isGone = placeOf(mutant, readIn(root, mutant.file)) === null;
    console.log(`${mutant.number}. ${inWords(mutant)}${isGone ? '  (gone)' : ''}`);
  }

async function run(): Promise<void> {
  const before = options.compare === null ? null : readResults(options.compare);
  const judged = await runMutants(mutants, options);
  console.log(`\n${sharesTable(judged)}`);
  console.log(survivors(judged) === '' ? '\nno survivors' : `\nsurvivors:\n${survivors(judged)}`);
  if (before === null) return;
  const rows = survivorsOfBoth(judged, before);
  console.log(`\ncompared with ${options.compare}:\n${comparisonTable(rows)}`);
  if (rows.some(isWorse)) process.exitCode = 1;
}
