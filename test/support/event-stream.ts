import { watchAnswer } from './leaks/watch.ts';
import { until } from './until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields of messages
type Json = any;

interface StreamedMessage {
  event: string;
  data: Json;
}

/** Opens the stream of events and reads it as a console would. */
export async function openStream(
  { baseUrl, adminToken }: { baseUrl: string; adminToken: string },
  options: { query?: string; lastId?: string } = {},
) {
  const closing = new AbortController();
  const path = `/admin/events/stream${options.query ?? ''}`;
  const response = await fetch(`${baseUrl}${path}`, {
    headers: {
      'x-admin-token': adminToken,
      ...(options.lastId === undefined ? {} : { 'last-event-id': options.lastId }),
    },
    signal: closing.signal,
  });
  /** All messages so far. */
  const messages: StreamedMessage[] = [];
  let id = '';
  let all = '';
  let rest = '';
  const take = (block: string) => {
    const fields = block.split('\n').filter((line) => !line.startsWith(':'));
    const fieldOf = (name: string) => fields.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    id = fieldOf('id') ?? id;
    const data = fieldOf('data');
    if (data !== undefined) messages.push({ event: fieldOf('event') ?? 'message', data: JSON.parse(data) });
  };
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const text = decoder.decode(chunk, { stream: true });
      all += text;
      rest += text;
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) take(block);
    }
  };
  /** Resolves when the stream has ended. */
  const ended = read().catch(() => undefined);
  return {
    ...{ response, messages, ended },
    /** The last `id:` that was received. */
    lastId: () => id,
    /** The whole text so far. */
    text: () => all,
    /** The events that were reported, in order. */
    events: (): Json[] => messages.filter(({ event }) => event === 'event').map(({ data }) => data),
    /** Waits for a message. */
    next: (what: string, wanted: (message: StreamedMessage) => boolean) => until(what, () => messages.find(wanted)),
    async close() {
      closing.abort();
      await ended;
      watchAnswer({ origin: new URL(baseUrl).origin, method: 'GET', path, status: response.status }, '', all);
    },
  };
}

export type OpenStream = Awaited<ReturnType<typeof openStream>>;
