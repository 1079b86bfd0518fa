import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** The variable with the path of the file that the process writes at its end. */
export const packagesFile = 'TEST_PACKAGES_FILE';

// A module for `node --import`: writes the names of all packages that the process has loaded into a file, one in a line.
const file = process.env[packagesFile];
if (file !== undefined) {
  const packages = new Set<string>();
  registerHooks({
    load(url, context, next) {
      const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => writeFileSync(file, [...packages].sort().join('\n')));
}
