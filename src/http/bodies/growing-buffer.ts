/** Holds most webhooks. A smaller first buffer would have to grow again immediately. */
const firstBytes = 16 * 1024;

/**
 * A buffer that a body is copied into. Its capacity doubles as the body grows, so it is at most twice the bytes that
 * have arrived (16 KiB at least). Outgrown memory is freed immediately, not at the next garbage collection.
 */
export class GrowingBuffer {
  #memory = new ArrayBuffer(0);
  #length = 0;
  readonly #maxBytes: number;

  /** @param maxBytes the declared length of the body, or the largest length that is accepted. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The capacity that the buffer needs to take `bytes` more. */
  capacityFor(bytes: number): number {
    const needed = this.#length + bytes;
    if (needed <= this.#memory.byteLength) return this.#memory.byteLength;
    return Math.min(this.#maxBytes, Math.max(needed, 2 * this.#memory.byteLength, firstBytes));
  }

  /** Appends bytes. The total must not exceed `maxBytes`. */
  add(chunk: Uint8Array): void {
    const capacity = this.capacityFor(chunk.length);
    if (capacity !== this.#memory.byteLength) this.#memory = this.#memory.transfer(capacity);
    new Uint8Array(this.#memory).set(chunk, this.#length);
    this.#length += chunk.length;
  }

  /** The bytes that were added. The caller owns the memory from now on. */
  take(): Buffer<ArrayBuffer> {
    return Buffer.from(this.#memory, 0, this.#length);
  }

  /** Frees the memory. */
  free(): void {
    this.#memory = this.#memory.transfer(0);
    this.#length = 0;
  }
}
