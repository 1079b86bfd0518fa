// Runs after `npm ci`: makes sure that npm scripts find Node 24. CommonJS, because it runs on the Node that npm has.
const { existsSync, mkdirSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');

const wanted = 24;
const modules = join(__dirname, '..', '..', 'node_modules');
const name = `node-${process.platform}-${process.arch}`;

if (existsSync(join(modules, name, 'bin', 'node'))) {
  // The packages of all platforms have a program `node`. npm 10 removes the link to it along with the packages that it skips.
  const link = join(modules, '.bin', 'node');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  if (!existsSync(link)) symlinkSync(join('..', name, 'bin', 'node'), link);
} else if (!(Number(process.versions.node.split('.')[0]) >= wanted)) {
  // npm leaves out an optional package that it cannot install without a word.
  console.error(
    `The webhook gateway runs on Node ${wanted}; npm scripts here would use ${process.version} (${process.execPath}).\n` +
      `On Linux with x64 or arm64 it comes as a package: run 'npm ci' again, with optional packages.\n` +
      `On another system, macOS for one, put Node ${wanted} on PATH: https://nodejs.org/en/download`,
  );
  process.exitCode = 1;
}
