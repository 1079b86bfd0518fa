import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The user of the image: USER in the Dockerfile. */
export const imageUser = Number(
  /^USER (\d+):/m.exec(readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8'))?.[1],
);

const checkout = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * What a container of the compose file may do, without a container: a read-only root with a /tmp in memory and one volume,
 * the user of the image, no capabilities, and no privileges to gain. Needs root on Linux. A checkout in /tmp stays visible.
 */
export const within = (volume: string) => [
  ...['unshare', '--mount', '/bin/sh', '-ec'],
  `mount --bind "$0" "$0"
mount -t tmpfs -o size=64m,mode=1777 tmpfs /mnt
case "$1" in /tmp/*)
  inside="/mnt/\${1#/tmp/}"; mkdir -p "$inside"; mount --bind "$1" "$inside"; mount -o remount,bind,ro "$inside" ;;
esac
mount --move /mnt /tmp
mount -o remount,bind,ro /
cd "$1"; shift; exec "$@"`,
  ...[volume, checkout],
  ...['setpriv', `--reuid=${imageUser}`, `--regid=${imageUser}`, '--clear-groups'],
  ...['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs'],
];

/** A folder outside of /tmp, which is hidden there. */
export const volumes = '/var/tmp';

/** Whether this machine can do so, and lets that user run this checkout with its Node. */
export function containerPossible(): boolean {
  const [program = '', ...args] = within(volumes);
  const readable = ['-e', 'fs.accessSync("src/main.ts")'];
  return spawnSync(program, [...args, process.execPath, ...readable], { stdio: 'ignore' }).status === 0;
}
