// Runs after `npm ci`, on the Node that npm scripts use. npm leaves out an optional package that it cannot install without a
// word, and the Node of this project is one. CommonJS, so that an old Node reads it too.
const wanted = 24;
const major = Number(process.versions.node.split('.')[0]);
if (!(major >= wanted)) {
  console.error(
    `The webhook gateway runs on Node ${wanted}; npm scripts here would use ${process.version} (${process.execPath}).\n` +
      `On Linux with x64 or arm64 it comes as a package: run 'npm ci' again, with optional packages.\n` +
      `On another system, macOS for one, put Node ${wanted} on PATH: https://nodejs.org/en/download`,
  );
  process.exitCode = 1;
}
