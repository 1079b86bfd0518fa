import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultCacheDir, findTemporalProgram } from '../../src/embedded/temporal-program.ts';
import { makeTemplate, type Template } from './postgres.ts';

/** What all stages of a run share. */
export interface Ground {
  template: Template;
  temporalProgram: string;
  /** Halves the time of a start. */
  compileCache: string;
}

/** Creates a folder that PostgreSQL's user may enter. The returned function removes it. */
export function ownFolder(prefix: string): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o755);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }) };
}

/** Prepares the ground in a folder that is removed when this process ends. */
export async function prepareGround(): Promise<Ground> {
  const { folder, remove } = ownFolder('gateway-faults-');
  process.on('exit', remove);
  const { PATH: path = '', XDG_CACHE_HOME: cacheHome = null, HOME: home = null } = process.env;
  return {
    template: await makeTemplate(join(folder, 'template')),
    temporalProgram: await findTemporalProgram({
      path,
      cacheDir: defaultCacheDir({ cacheHome, home }),
      onProgress: console.log,
    }),
    compileCache: join(folder, 'compile-cache'),
  };
}
