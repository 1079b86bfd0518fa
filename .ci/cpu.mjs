// Prints the 30 test files that took the most processor time, by phase, and what the shared servers took:
// TEST_CPU=cpu.jsonl npm test, then node .ci/cpu.mjs cpu.jsonl
import { readFileSync } from 'node:fs';

const shown = 30;
const columns = ['load', 'setup', 'tests', 'teardown'];
const lines = readFileSync(process.argv[2], 'utf8').trim().split('\n').map(JSON.parse);
const seconds = (ms) => (ms / 1000).toFixed(1);
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const ownMs = (times) => (times ? times.userMs + times.systemMs : 0);

const files = lines
  .filter(({ file }) => file)
  .map(({ file, wallMs, phases }) => {
    const own = columns.map((name) => ownMs(phases[name]));
    const childrenMs = sum(Object.values(phases).map((times) => times.childrenMs));
    return { file, wallMs, own, childrenMs, totalMs: sum(own) + childrenMs };
  })
  .sort((one, other) => other.totalMs - one.totalMs);

const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
row(['CPU s', 'file', ...columns, 'processes it started', 'wall s']);
row(['---:', '---', ...columns.map(() => '---:'), '---:', '---:']);
for (const { file, wallMs, own, childrenMs, totalMs } of files.slice(0, shown))
  row([seconds(totalMs), file, ...own.map(seconds), seconds(childrenMs), seconds(wallMs)]);

// Not Map.groupBy, which the system's Node may not have.
const folders = new Map();
for (const each of files) {
  const folder = each.file.split('/')[1];
  folders.set(folder, [...(folders.get(folder) ?? []), each]);
}
console.log();
row(['CPU s', 'folder', 'files']);
row(['---:', '---', '---:']);
for (const [totalMs, folder, count] of [...folders]
  .map(([folder, of]) => [sum(of.map((file) => file.totalMs)), folder, of.length])
  .sort((one, other) => other[0] - one[0]))
  row([seconds(totalMs), folder, count]);

console.log();
console.log(`All test processes and what they started: ${seconds(sum(files.map(({ totalMs }) => totalMs)))} s`);
for (const { server, cpuMs } of lines.filter((line) => line.server))
  console.log(`${server}, shared by all files: ${seconds(cpuMs)} s`);
