/**
 * Frees the memory of bytes that nothing needs any more. What a socket reads comes in a piece of memory of its own for each
 * read; left to the garbage collector, a flood of them piles up by a hundred megabytes before it looks.
 *
 * Does nothing where the bytes are only a part of their memory: the rest may be in use.
 */
export function freeNow(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
