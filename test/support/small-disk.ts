import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './gateway-process.ts';
import { mountNamespace, mountThenRun } from './may-skip/mount-namespace.ts';

/** A file system in memory of a fixed size, visible to one process and its children. */
export interface SmallDisk {
  /** Its path in that process. */
  folder: string;
  /** The command to put before the process's command. The process keeps its pid. */
  within: string[];
  /** The path of the folder in this process, while the other process runs. */
  seenIn(pid: number): string;
  /** @param folder the path from `seenIn` */
  freeBytes(folder: string): number;
}

export function smallDisk(bytes: number): SmallDisk {
  const namespace = mountNamespace();
  if (namespace === null) throw new Error('this machine lets its user mount no file system');
  const folder = join(temporaryFolder('test'), 'disk');
  mkdirSync(folder);
  return {
    folder,
    within: [...namespace, ...mountThenRun(bytes), folder],
    seenIn: (pid) => `/proc/${pid}/root${folder}`,
    freeBytes(seen) {
      const { bavail, bsize } = statfsSync(seen);
      return bavail * bsize;
    },
  };
}
