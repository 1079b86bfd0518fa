/** Freeing less takes longer than it saves: the garbage collector handles small buffers in time. */
const worthFreeingBytes = 4 * 1024;

/**
 * Frees the memory of bytes that are no longer needed. A socket allocates a new buffer for each read. Under load, a
 * hundred megabytes of them accumulate before the garbage collector runs.
 *
 * Has no effect on less than 4 KiB, and on bytes that are only part of their ArrayBuffer: the rest may be in use.
 */
export function freeNow(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength < worthFreeingBytes || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
