import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';

/** A larger log is renamed to `.1` at the next start, and replaces the previous `.1`. */
const rotateBytes = 20 * 1024 * 1024;
const tailBytes = 16 * 1024;

export type ServerLog = {
  readonly path: string;
  /** Opens the file for a child's output. The caller closes the descriptor after the spawn. */
  open(): number;
  /** The last lines that were written since the last `open()`, for error messages. */
  tail(lines: number): string;
};

/** The log file for an embedded server's output. */
export function serverLog(path: string): ServerLog {
  let openedAt = 0;
  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    path,
    open() {
      if (size() > rotateBytes) renameSync(path, `${path}.1`);
      openedAt = size();
      return openSync(path, 'a', 0o600);
    },
    tail(lines) {
      const from = Math.max(openedAt, size() - tailBytes);
      const bytes = Buffer.alloc(Math.max(0, size() - from));
      if (bytes.length === 0) return '';
      const descriptor = openSync(path, 'r');
      try {
        readSync(descriptor, bytes, 0, bytes.length, from);
      } finally {
        closeSync(descriptor);
      }
      return bytes.toString('utf8').trim().split('\n').slice(-lines).join('\n');
    },
  };
}
