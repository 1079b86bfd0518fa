import type { Socket } from 'node:net';

/** Node's internal handle of a socket, which has no public interface for this. */
interface Handle {
  reading: boolean;
  readStart(): number;
  readStop(): number;
}

type Readable = Socket & { _handle?: Handle | null };

/**
 * Stops reading from the kernel. A paused Node socket would go on reading until its buffer is full, which doubles the
 * memory of each connection.
 */
export function stopReading({ _handle: handle }: Readable): void {
  if (!handle?.reading) return;
  handle.reading = false;
  handle.readStop();
}

/** Resumes reading after `stopReading`. Node's stream does not do so: it assumes that a read is in progress. */
export function startReading({ _handle: handle }: Readable): void {
  if (!handle || handle.reading) return;
  handle.reading = true;
  handle.readStart();
}
