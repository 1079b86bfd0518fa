import { spawnSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from './gateway-process.ts';

/** A mount namespace of its own: what is mounted in it goes with its last process, however that ends. */
const namespaces = [
  ['unshare', '--mount'],
  ['unshare', '--user', '--map-root-user', '--mount'],
];
const mountThenRun = (bytes: number) => ['/bin/sh', '-c', `mount -t tmpfs -o size=${bytes} tmpfs "$0" && exec "$@"`];

/** How a process gets a file system of its own on this machine: as root, else as root of a user namespace. Null: not at all. */
const namespace =
  namespaces.find(([program = '', ...args]) => {
    const trial = [...args, ...mountThenRun(4096), tmpdir(), 'true'];
    return spawnSync(program, trial, { stdio: 'ignore' }).status === 0;
  }) ?? null;

/** Why there can be no small disk here, for a test's name; null where there can. */
export const noSmallDisk = namespace === null ? 'this machine lets its user mount no file system' : null;

/** A file system in memory of so many bytes, which is there for one process and its children. */
export interface SmallDisk {
  /** Where that process sees it. */
  folder: string;
  /** What to put before the process's command; the process keeps its pid. */
  within: string[];
  /** Where this process sees the folder of the other one, while that runs. */
  seenIn(pid: number): string;
  /** @param folder as `seenIn` gives it */
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
