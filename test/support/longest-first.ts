import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files start processes and wait for takeovers, longest first. All other folders come after them. */
const longest = [
  'upgrade',
  'process',
  'incidents',
  'replay',
  'embedded',
  'roles',
  'backups',
  'e2e',
  'console',
  'demo',
  'maintenance',
  'docker',
  'docs',
];

/** Runs the longest files first, so that at the end no worker still runs a long file while the others are idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const [, folder = ''] = relative(this.ctx.config.root, moduleId).split('/');
      const found = longest.indexOf(folder);
      return found === -1 ? longest.length : found;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
