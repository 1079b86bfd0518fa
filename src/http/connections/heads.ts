/** A head or a chunked body is parsed in pieces of at most this size: about a hundred chunks, or one request. */
const pieceBytes = 4 * 1024;
const endOfHead = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);
const endOfLine = Buffer.from('\r\n');

/** Cuts the bytes of a connection into pieces that end where the head of a request ends, so that each has one request. */
export class Heads {
  /** The last bytes of a piece, in which the end of the head may have begun. */
  #seam: Buffer = nothing;
  /** The bytes after the head in the last piece. */
  #behind: Buffer = nothing;

  /** The first piece of these bytes. They are heads or chunked bodies, with at most one small body at their end. */
  pieceOf(bytes: Buffer): Buffer {
    const most = bytes.subarray(0, pieceBytes);
    if (this.#seam.length > 0) {
      const seam = Buffer.concat([this.#seam, most.subarray(0, endOfHead.length - 1)]);
      const end = seam.indexOf(endOfHead);
      const atSeam = this.#seam.length;
      this.#seam = nothing;
      if (end >= 0) return most.subarray(0, end + endOfHead.length - atSeam);
    }
    const end = most.indexOf(endOfHead);
    if (end >= 0) {
      const head = end + endOfHead.length;
      // Bytes without an end of line are no complete chunk and no complete head. Mostly they are a small webhook's
      // body.
      if (most.includes(endOfLine, head)) return most.subarray(0, head);
      this.#behind = most.subarray(head);
      return most;
    }
    this.#seam = seamOf(most);
    return most;
  }

  /**
   * Call it when the parser has read a head, before it returns from the piece.
   *
   * @param declared the length of the body in bytes; null for a chunked body.
   * @returns the bytes of the body that are not in the piece; null for a chunked body.
   */
  bodyLeft(declared: number | null): number | null {
    // Bytes beyond the declared body are the beginning of the next head.
    if (this.#behind.length > (declared ?? 0)) this.#seam = seamOf(this.#behind);
    return declared === null ? null : Math.max(0, declared - this.#behind.length);
  }

  /** Call it when the piece is parsed. */
  parsed(): void {
    this.#behind = nothing;
  }
}

/**
 * The last bytes of a piece, in which the end of a head may have begun. A copy, so that the piece's memory can be
 * freed.
 */
const seamOf = (piece: Buffer): Buffer => Buffer.from(piece.subarray(1 - endOfHead.length));
