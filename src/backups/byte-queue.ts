/** A queue of bytes that takes pieces of any size and returns pieces of another size. */
export class ByteQueue {
  #pieces: Buffer[] = [];
  #length = 0;

  /** The number of bytes in the queue. */
  get length(): number {
    return this.#length;
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  /**
   * Removes the first `bytes` bytes. Joins all pieces at most once per call.
   *
   * @throws Error when the queue has fewer bytes.
   */
  take(bytes: number): Buffer {
    if (bytes > this.#length) throw new Error(`${bytes} bytes were requested, but the queue has only ${this.#length}`);
    const [first] = this.#pieces;
    const all = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces, this.#length);
    const rest = all.subarray(bytes);
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    return all.subarray(0, bytes);
  }
}
