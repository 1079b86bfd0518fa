import type { Socket } from 'node:net';

/** Node's internal handle of a socket, which has no public interface for this. */
interface Handle {
  reading: boolean;
  readStart(): number;
  readStop(): number;
}

type Readable = Socket & { _handle?: Handle | null };

/**
 * Stops reading from the kernel. Each time the gate takes bytes that it has put back, Node begins to read again, also for a paused
 * socket: a client that pipelines had 191 KiB in the gateway's memory instead of one read of 64 KiB
 * (test/http/waiting-requests.test.ts: while a request waits for its answer, no more is read than what came with it).
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
