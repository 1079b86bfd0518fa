/** Bytes that come in pieces of one size and go in pieces of another. */
export class ByteQueue {
  #pieces: Buffer[] = [];
  #length = 0;

  /** How many bytes wait. */
  get length(): number {
    return this.#length;
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  /** The oldest `bytes` bytes, of which there must be as many. Pieces are joined once, however small they are. */
  take(bytes: number): Buffer {
    if (bytes > this.#length) throw new Error(`${bytes} bytes were asked for, ${this.#length} are there`);
    const [first] = this.#pieces;
    const all = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces, this.#length);
    const rest = all.subarray(bytes);
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    return all.subarray(0, bytes);
  }
}
