import { chunked, chunks, length, message, simple, type Target } from './message.ts';

/** A legal request that ends too early: then the client closes its side, or resets the connection. */
export interface IncompleteCase {
  name: string;
  send(target: Target, body: string): string;
}

const without = (bytes: number, text: string) => text.slice(0, -bytes);

export const incompleteCases: IncompleteCase[] = [
  { name: 'half a request line', send: (t) => `${t.method} ${t.path}` },
  { name: 'half a head', send: (t, b) => without(2, message(t, [length(b)])) },
  { name: 'a head without its body', send: (t, b) => message(t, [length(b)]) },
  { name: 'a body that is a byte short', send: (t, b) => without(1, simple(t, b)) },
  {
    name: 'a false length, larger than the body',
    send: (t, b) => message(t, [`Content-Length: ${b.length + 1000}`], b),
  },
  {
    name: 'a chunk that is a byte short',
    send: (t, b) => message(t, [chunked], `${(b.length + 1).toString(16)}\r\n${b}`),
  },
  { name: 'a chunk size of 64 bits', send: (t, b) => message(t, [chunked], `ffffffffffffffff\r\n${b}\r\n0\r\n\r\n`) },
  { name: 'chunks without the last one', send: (t, b) => without(5, message(t, [chunked], chunks(b))) },
  { name: 'chunks without the last line break', send: (t, b) => without(2, message(t, [chunked], chunks(b))) },
  { name: 'chunks without their last byte', send: (t, b) => without(1, message(t, [chunked], chunks(b))) },
  { name: 'half a trailer', send: (t, b) => without(3, message(t, [chunked], chunks(b, '', 'X-A: b\r\n'))) },
  { name: 'a body that is never sent after Expect', send: (t, b) => message(t, ['Expect: 100-continue', length(b)]) },
];
