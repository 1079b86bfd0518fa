import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files start processes and wait for leases, longest first; all others come after them. */
const longest = ['process', 'embedded', 'roles', 'backups', 'e2e', 'demo', 'maintenance', 'docker'];

/** Runs files that take long first, so that none of them is left for the end when the other workers have nothing to do. */
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
