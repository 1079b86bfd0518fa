import { fstatSync } from 'node:fs';

/** Standard output. */
const output = 1;

/**
 * Whether systemd's journal takes the standard output of this process. A program that inherits the variable may write
 * elsewhere.
 *
 * @param stream JOURNAL_STREAM: device and inode (https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html)
 */
export function isInJournal(stream: string | null): boolean {
  if (stream === null) return false;
  const { dev, ino } = fstatSync(output, { bigint: true });
  return stream === `${dev}:${ino}`;
}
