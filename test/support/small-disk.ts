import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './gateway-process.ts';
import { mountNamespace, mountThenRun } from './may-skip/mount-namespace.ts';

/** A file system in memory of a fixed size, visible to one process and its children. */
export function smallDisk(bytes: number) {
  const namespace = mountNamespace();
  if (namespace === null) throw new Error('this machine lets its user mount no file system');
  const folder = join(temporaryFolder('test'), 'disk');
  mkdirSync(folder);
  return {
    /** Its path in that process. */
    folder,
    /** The command to put before the process's command. The process keeps its pid. */
    within: [...namespace, ...mountThenRun(bytes), folder],
    /** The path of the folder in this process, while the other process runs. */
    seenIn: (pid: number) => `/proc/${pid}/root${folder}`,
    /** @param folder the path from `seenIn` */
    freeBytes(seen: string) {
      const { bavail, bsize } = statfsSync(seen);
      return bavail * bsize;
    },
  };
}
