/** To free less takes longer than it saves: the garbage collector sees small pieces in time. */
const worthFreeingBytes = 4 * 1024;

/**
 * Frees the memory of bytes that nothing needs any more. What a socket reads comes in a piece of memory of its own for each
 * read; left to the garbage collector, a flood of them piles up by a hundred megabytes before it looks.
 *
 * Does nothing for less than 4 KiB, and where the bytes are only a part of their memory: the rest may be in use.
 */
export function freeNow(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength < worthFreeingBytes || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
