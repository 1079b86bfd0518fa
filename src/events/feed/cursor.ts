/** A place in the order of the feed: after the event with this transaction and id. */
export interface Place {
  /** `events.stored_xid`, in decimal: 64 bits do not fit a number. */
  xid: string;
  id: string;
}

/** What a cursor holds. */
export interface Cursor extends Place {
  /** The epoch of the database (`feedEpochKey`), which a restore changes: a UUID. */
  epoch: string;
  /** The last row of `feed_losses` when the cursor was made, in decimal. Later rows may be about events after it. */
  loss: string;
}

/** Before all events of a transaction: ids are UUIDv7, so no event has this one. */
export const beforeAll = '00000000-0000-0000-0000-000000000000';

/** The first byte. A release that writes another form reads this one, too: cursors are kept for months. */
const form = 1;
const uuidBytes = 16;
const numberBytes = 8;
const bytes = 1 + uuidBytes + numberBytes + uuidBytes + numberBytes;

/** `feed_losses.id` is a signed number. */
const largestLoss = 2n ** 63n - 1n;

/** The cursor as clients get it: opaque, safe in an address. */
export function cursorText({ epoch, xid, id, loss }: Cursor): string {
  const number = (decimal: string) => {
    const buffer = Buffer.alloc(numberBytes);
    buffer.writeBigUInt64BE(BigInt(decimal));
    return buffer;
  };
  const uuid = (text: string) => Buffer.from(text.replaceAll('-', ''), 'hex');
  return Buffer.concat([Buffer.of(form), uuid(epoch), number(xid), uuid(id), number(loss)]).toString('base64url');
}

/** Reads a cursor; null if it was not made by `cursorText`. */
export function readCursor(text: string): Cursor | null {
  const buffer = Buffer.from(text, 'base64url');
  if (buffer.length !== bytes || buffer[0] !== form || buffer.toString('base64url') !== text) return null;
  let at = 1;
  const number = () => {
    at += numberBytes;
    return String(buffer.readBigUInt64BE(at - numberBytes));
  };
  const uuid = () => {
    at += uuidBytes;
    return buffer.toString('hex', at - uuidBytes, at).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  const cursor = { epoch: uuid(), xid: number(), id: uuid(), loss: number() };
  return BigInt(cursor.loss) > largestLoss ? null : cursor;
}
