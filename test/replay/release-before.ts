import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleWorkflowCode } from '@temporalio/worker';
import { quietLogger } from '../../src/temporal/workflow-bundle.ts';
import { archiveReleaseBefore } from '../upgrade/release-before.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Bundles the workflows of the release before from the history of this repository, with the present SDK. */
export async function bundleOfReleaseBefore(): Promise<{ code: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'release-before-'));
  try {
    const archive = join(folder, 'workflows.tar');
    archiveReleaseBefore(archive, 'workflows');
    await run('tar', ['--extract', '--file', archive, '--directory', folder]);
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const { code } = await bundleWorkflowCode({
      workflowsPath: join(folder, 'workflows/index.ts'),
      logger: quietLogger(() => undefined),
    });
    return { code };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
