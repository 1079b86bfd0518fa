/** Room for most webhooks; smaller steps would be taken again at once. */
const firstBytes = 16 * 1024;

/**
 * One piece of memory that a body is copied into. It doubles as the body grows, so it is never more than twice what has
 * arrived, and what it outgrew is free at once, not at the next garbage collection.
 */
export class GrowingBuffer {
  #memory = new ArrayBuffer(0);
  #length = 0;
  readonly #maxBytes: number;

  /** @param maxBytes the length that was declared, or the largest one that is taken. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The memory that is needed to add so many bytes. */
  capacityFor(bytes: number): number {
    const needed = this.#length + bytes;
    if (needed <= this.#memory.byteLength) return this.#memory.byteLength;
    return Math.min(this.#maxBytes, Math.max(needed, 2 * this.#memory.byteLength, firstBytes));
  }

  /** Adds bytes; the buffer must not get longer than `maxBytes`. */
  add(chunk: Uint8Array): void {
    const capacity = this.capacityFor(chunk.length);
    if (capacity !== this.#memory.byteLength) this.#memory = this.#memory.transfer(capacity);
    new Uint8Array(this.#memory).set(chunk, this.#length);
    this.#length += chunk.length;
  }

  /** What was added. The memory is the caller's from here on. */
  take(): Buffer<ArrayBuffer> {
    return Buffer.from(this.#memory, 0, this.#length);
  }

  /** Frees the memory. */
  free(): void {
    this.#memory = this.#memory.transfer(0);
    this.#length = 0;
  }
}
