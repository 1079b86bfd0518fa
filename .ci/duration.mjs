// Prints how long the tests of a run took, and fails if that was too long: node .ci/duration.mjs <results.json>
import { readFileSync } from 'node:fs';

/**
 * Two cores of an idle machine take 1,600 to 1,800 s, those of the slowest machine seen 3,400 s: what takes longer than this
 * is not the machine's fault.
 */
const limitS = 4_200;

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const beganMs = Math.min(...testResults.map(({ startTime }) => startTime));
const endedMs = Math.max(...testResults.map(({ endTime }) => endTime));
const took = Math.round((endedMs - beganMs) / 1000);
console.log(`== The tests took ${took} s from the first to the last (at most ${limitS} s)`);
if (took > limitS) process.exitCode = 1;
