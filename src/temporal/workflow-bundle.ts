import { createHash, hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';
import type { Log } from '../shared/log.ts';

/** The bundled workflow code for the sandbox. */
export interface WorkflowBundle {
  code: string;
}

const workflowsFolder = fileURLToPath(new URL('../../workflows', import.meta.url));

/** The bundle that `npm run build` makes, and the image has. */
export const builtBundle = fileURLToPath(new URL('../../build/workflows.js', import.meta.url));

/**
 * Returns the bundle of the workflow code: the one that was built, or one from the cache, if it is of these workflows.
 * Else bundles the code, which takes some seconds of CPU time. If the cache cannot be read or written, the code is
 * bundled at every start.
 *
 * @param options.built the file of `npm run build`, which need not exist.
 * @param options.cacheDir the cache folder; null disables the cache.
 */
export async function bundleWorkflows(options: {
  built?: string;
  cacheDir: string | null;
  log: Log;
}): Promise<WorkflowBundle> {
  const { built = builtBundle, cacheDir, log } = options;
  const key = await keyOfBundle();
  const before = await readBundle(built, key);
  if (before) return before;
  if (cacheDir === null) return bundle(log);
  const path = join(cacheDir, `workflows-${key}.js`);
  const cached = await readBundle(path, key);
  if (cached) return cached;
  const made = await bundle(log);
  await keepBundle({ path, mode: 0o600 }, key, made).catch((error: unknown) => {
    log.debug({ err: error }, 'workflow bundle not cached');
  });
  return made;
}

/** Bundles the workflows into the file that later starts use. */
export async function writeBuiltBundle(log: Log, path = builtBundle): Promise<void> {
  // Readable for the user of the image, who is not the one that builds it.
  await keepBundle({ path, mode: 0o644 }, await keyOfBundle(), await bundle(log));
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

/**
 * Reads a stored bundle: a line with its key and checksum, then the code. Null for one of other workflows, and for a file
 * that a crash has truncated.
 */
async function readBundle(path: string, key: string): Promise<WorkflowBundle | null> {
  try {
    const text = await readFile(path, 'utf8');
    const end = text.indexOf('\n');
    const code = text.slice(end + 1);
    return text.slice(0, end) === firstLine(key, code) ? { code } : null;
  } catch {
    // Missing or unreadable, so the code has to be bundled.
    return null;
  }
}

/** Writes a bundle atomically, so that no process reads an incomplete file. */
async function keepBundle(
  { path, mode }: { path: string; mode: number },
  key: string,
  { code }: WorkflowBundle,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  try {
    await writeFile(unfinished, `${firstLine(key, code)}\n${code}`, { mode });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

const firstLine = (key: string, code: string) => `// workflows ${key}, sha256 ${hash('sha256', code)}`;

async function bundle(log: Log): Promise<WorkflowBundle> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(workflowsFolder, 'index.ts'),
    payloadConverterPath: join(workflowsFolder, 'payload-converter.ts'),
    logger: quietLogger((message) => log.warn(message)),
  });
  return { code };
}

/** A logger of the bundler that passes on warnings and errors only. */
export function quietLogger(tell: (message: string) => void): Logger {
  const silent = () => undefined;
  return { log: silent, trace: silent, debug: silent, info: silent, warn: tell, error: tell };
}
