import { createHash, hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Log } from '../shared/log.ts';

/** The bundled workflow code for the sandbox. */
export interface WorkflowBundle {
  code: string;
}

const workflowsFolder = fileURLToPath(new URL('../../workflows', import.meta.url));

/**
 * Returns the bundle of the workflow code from the cache, or bundles the code, which takes some seconds of CPU time. If
 * the cache cannot be read or written, the code is bundled at every start.
 *
 * @param options.cacheDir the cache folder; null disables the cache.
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

/** A hash of everything in a bundle: the workflows, which import only each other and the SDK, and the SDK's version. */
async function keyOfBundle(): Promise<string> {
  const digest = createHash('sha256');
  const sdk: { version: string } = createRequire(import.meta.url)('@temporalio/worker/package.json');
  digest.update(JSON.stringify([process.version, sdk.version]));
  for (const name of (await readdir(workflowsFolder)).sort())
    digest.update(JSON.stringify([name, await readFile(join(workflowsFolder, name), 'utf8')]));
  return digest.digest('hex').slice(0, 32);
}

/** Reads a cached bundle: a line with the checksum, then the code. Null for a file that a crash has truncated. */
async function readBundle(path: string): Promise<WorkflowBundle | null> {
  try {
    const text = await readFile(path, 'utf8');
    const end = text.indexOf('\n');
    const code = text.slice(end + 1);
    return text.slice(0, end) === checksumLine(code) ? { code } : null;
  } catch {
    // Missing or unreadable, so the code has to be bundled.
    return null;
  }
}

/** Writes a bundle to the cache atomically, so that no process reads an incomplete file. */
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
