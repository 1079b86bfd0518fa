import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';

/** Commands that run another command in a new mount namespace, whose mounts end with its last process. */
const namespaces = [
  ['unshare', '--mount'],
  ['unshare', '--user', '--map-root-user', '--mount'],
];

/** A command that mounts a file system of this size at a folder, and replaces itself by another command. */
export const mountThenRun = (bytes: number) => [
  ...['/bin/sh', '-c'],
  `mount -t tmpfs -o size=${bytes} tmpfs "$0" && exec "$@"`,
];

/** Finds the command that works on this machine: as root, or as root of a user namespace. Null if none does. */
export const mountNamespace = (): string[] | null =>
  namespaces.find(([program = '', ...args]) => {
    const trial = [...args, ...mountThenRun(4096), tmpdir(), 'true'];
    return spawnSync(program, trial, { stdio: 'ignore' }).status === 0;
  }) ?? null;
