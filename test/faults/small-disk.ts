import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const mebibyte = 1024 * 1024;
const mountThen = (bytes: number, folder: string, then: string) => [
  ...['--mount', '--propagation', 'private', 'sh', '-c'],
  ...[`mount -t tmpfs -o size=${bytes},mode=0755 tmpfs "$0" && ${then}`, folder],
];

/** Why no small file system is possible here; null if it is possible. PostgreSQL's user has to enter it, so root mounts it. */
export function noSmallDisk(): string | null {
  if (process.getuid?.() !== 0) return 'only root can mount the small file system';
  if (spawnSync('nsenter', ['--version'], { stdio: 'ignore' }).status !== 0) return 'there is no nsenter';
  const trial = spawnSync('unshare', mountThen(4096, tmpdir(), 'true'), { stdio: 'ignore' });
  return trial.status === 0 ? null : 'this machine lets root mount no file system';
}

/** A file system in memory of a fixed size. It outlives the processes that run on it, and ends with the suite. */
export interface SmallDisk {
  /** Its path for the processes that are started `within` it. */
  folder: string;
  /** Its path for this process. */
  seen: string;
  /** The command to put before the command of a process. */
  within: string[];
  /**
   * Fills the disk except for so many bytes, so that to fill the rest takes a moment only. Call it when the files that
   * are there from the beginning have been written.
   */
  fillMost(leftBytes: number): Promise<void>;
  /** Fills the rest, and keeps the disk full until it is called again with false. */
  setFull(full: boolean): void;
  close(): void;
}

export async function openSmallDisk(parent: string, bytes: number): Promise<SmallDisk> {
  const folder = join(parent, 'disk');
  mkdirSync(folder);
  // The mount lives as long as a process in its namespace. This one ends when its standard input is closed.
  const keeper = spawn('unshare', mountThen(bytes, folder, 'touch "$0/mounted" && exec cat'), {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  await once(keeper, 'spawn');
  const seen = `/proc/${keeper.pid}/root${folder}`;
  while (!existsSync(join(seen, 'mounted'))) {
    if (keeper.exitCode !== null) throw new Error('the small file system was not mounted');
    await sleep(20);
  }
  const filler = join(seen, 'filler');
  const refill = () => {
    const { bavail, bsize } = statfsSync(seen);
    if (bavail > 0) writeFileSync(filler, Buffer.alloc(bavail * bsize), { flag: 'a' });
  };
  let filling: NodeJS.Timeout | undefined;
  return {
    async fillMost(leftBytes) {
      const { bavail, bsize } = statfsSync(seen);
      const ballast = await open(join(seen, 'ballast'), 'w');
      const piece = Buffer.alloc(mebibyte);
      for (let left = bavail * bsize - leftBytes; left > 0; left -= mebibyte) await ballast.write(piece);
      await ballast.close();
    },
    folder,
    seen,
    within: ['nsenter', '--mount', `--target=${keeper.pid}`],
    setFull(full) {
      clearInterval(filling);
      if (!full) return rmSync(filler, { force: true });
      const fill = () => {
        try {
          refill();
        } catch {
          // PostgreSQL took the last pages in between.
        }
      };
      fill();
      // PostgreSQL frees files of its log, and the disk would not be full any more.
      filling = setInterval(fill, 200);
    },
    close() {
      clearInterval(filling);
      keeper.stdin.end();
      keeper.kill('SIGKILL');
    },
  };
}
