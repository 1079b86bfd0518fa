import { spawnSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from './gateway-process.ts';

/** Commands that run another command in a new mount namespace, whose mounts end with its last process. */
const namespaces = [
  ['unshare', '--mount'],
  ['unshare', '--user', '--map-root-user', '--mount'],
];
const mountThenRun = (bytes: number) => ['/bin/sh', '-c', `mount -t tmpfs -o size=${bytes} tmpfs "$0" && exec "$@"`];

/** The command that works on this machine: as root, or as root of a user namespace. Null if none does. */
const namespace =
  namespaces.find(([program = '', ...args]) => {
    const trial = [...args, ...mountThenRun(4096), tmpdir(), 'true'];
    return spawnSync(program, trial, { stdio: 'ignore' }).status === 0;
  }) ?? null;

/** The reason why a small disk is not possible here, for a test's name; null if it is possible. */
export const noSmallDisk = namespace === null ? 'this machine lets its user mount no file system' : null;

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
  if (namespace === null) throw new Error(noSmallDisk ?? '');
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
