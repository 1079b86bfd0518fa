import { defaultCacheDir, findTemporalProgram } from '../../src/embedded/temporal-program.ts';

/** The program of Temporal, which `npm start` would use on this machine. */
export function temporalProgram(onProgress: (line: string) => void): Promise<string> {
  const { PATH: path = '', XDG_CACHE_HOME: cacheHome = null, HOME: home = null } = process.env;
  return findTemporalProgram({ path, cacheDir: defaultCacheDir({ cacheHome, home }), onProgress });
}
