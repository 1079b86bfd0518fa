import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The user of the image: USER in the Dockerfile. */
export const imageUser = Number(
  /^USER (\d+):/m.exec(readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8'))?.[1],
);

/**
 * What a container of the compose file may do, without a container: a read-only root with a /tmp in memory and one volume,
 * the user of the image, no capabilities, and no privileges to gain. Needs root on Linux.
 */
export const within = (volume: string) => [
  ...['unshare', '--mount', '/bin/sh', '-ec'],
  'mount --bind "$0" "$0"; mount -o remount,bind,ro /; mount -t tmpfs -o size=64m,mode=1777 tmpfs /tmp; exec "$@"',
  volume,
  ...['setpriv', `--reuid=${imageUser}`, `--regid=${imageUser}`, '--clear-groups'],
  ...['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs'],
];

/** A folder outside of /tmp, which is hidden there. */
export const volumes = '/var/tmp';

/** Whether this machine can do so, and lets that user run this checkout's Node. */
export function containerPossible(): boolean {
  const [program = '', ...args] = within(volumes);
  return spawnSync(program, [...args, process.execPath, '--version'], { stdio: 'ignore' }).status === 0;
}
