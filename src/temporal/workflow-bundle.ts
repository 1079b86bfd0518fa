import { createHash, hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Log } from '../shared/log.ts';

/** The workflow code as the sandbox runs it. */
export interface WorkflowBundle {
  code: string;
}

const workflowsFolder = fileURLToPath(new URL('../../workflows', import.meta.url));

/**
 * Bundles the workflow code for the sandbox that it runs in, which takes some seconds of one core, or takes the bundle that an
 * earlier start left in the cache. The cache is a convenience: where it cannot be read or written, the code is bundled.
 *
 * @param options.cacheDir where bundles are kept; null: nowhere.
 */
export async function bundleWorkflows(options: { cacheDir: string | null; log: Log }): Promise<WorkflowBundle> {
  const { cacheDir, log } = options;
  if (cacheDir === null) return bundle(log);
  const path = join(cacheDir, `workflows-${await keyOfBundle()}.js`);
  const cached = await readBundle(path);
  if (cached) return cached;
  const made = await bundle(log);
  await keepBundle(cacheDir, path, made).catch((error: unknown) => {
    log.debug({ err: error }, 'workflow bundle not cached');
  });
  return made;
}

/** Names everything that a bundle is made of: the workflows, which import themselves and the SDK only, and the SDK. */
async function keyOfBundle(): Promise<string> {
  const digest = createHash('sha256');
  const sdk: { version: string } = createRequire(import.meta.url)('@temporalio/worker/package.json');
  digest.update(JSON.stringify([process.version, sdk.version]));
  for (const name of (await readdir(workflowsFolder)).sort())
    digest.update(JSON.stringify([name, await readFile(join(workflowsFolder, name), 'utf8')]));
  return digest.digest('hex').slice(0, 32);
}

/** A file is its checksum and the code: one that a crash has cut short does not count. */
async function readBundle(path: string): Promise<WorkflowBundle | null> {
  try {
    const text = await readFile(path, 'utf8');
    const end = text.indexOf('\n');
    const code = text.slice(end + 1);
    return text.slice(0, end) === checksumLine(code) ? { code } : null;
  } catch {
    // Not there, or not to be read: both mean that the code has to be bundled.
    return null;
  }
}

/** Under another name first, so that no process reads half of it. */
async function keepBundle(cacheDir: string, path: string, { code }: WorkflowBundle): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  try {
    await writeFile(unfinished, `${checksumLine(code)}\n${code}`, { mode: 0o600 });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

const checksumLine = (code: string) => `// sha256 ${hash('sha256', code)}`;

async function bundle(log: Log): Promise<WorkflowBundle> {
  const silent = () => undefined;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(workflowsFolder, 'index.ts'),
    logger: {
      log: silent,
      trace: silent,
      debug: silent,
      info: silent,
      warn: (message) => log.warn(message),
      error: (message) => log.error(message),
    },
  });
  return { code };
}
