import { EventSourceParserStream } from 'eventsource-parser/stream';
import { token } from './token.ts';

/** Calls the admin API for answers that are not read whole as JSON. */
export const fetchAdmin = (path: string, options: { headers?: Record<string, string>; signal?: AbortSignal } = {}) =>
  fetch(path, { ...options, headers: { 'x-admin-token': token.get() ?? '', ...options.headers }, cache: 'no-store' });

/** The messages of an event stream. */
export const messagesOf = (body: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()) as unknown as AsyncIterable<{
    id?: string;
    event?: string;
    data: string;
  }>;
