import type { Cli } from '../cli.ts';
import { oneLine } from '../output/printable.ts';
import type { FeedEvent, FeedItem } from './feed-page.ts';
import type { LocalAnswer } from './forward.ts';

/** One event and what the local server answered. */
export interface Handled {
  item: FeedItem;
  answer: LocalAnswer;
  /** The number of this try, from 1. */
  attempt: number;
}

/** Shows a session to its user. */
export interface View {
  /** Waits while the reader of the output is slow. */
  handled(one: Handled): Promise<void>;
  note(text: string): void;
  /** In a terminal: whether the feed is connected. */
  state(state: 'ready' | 'reconnecting'): void;
  close(): void;
}

const accountOf = ({ provider, account_slug }: FeedEvent): string => `${provider}/${account_slug}`;

/** The local time of day when an event was received. */
const timeOf = ({ received_at }: FeedEvent): string => {
  const at = new Date(received_at);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
};

/** Time, type, account, local answer and milliseconds of one event. */
export function lineOf({ item: { event }, answer, attempt }: Handled): string {
  const { status, error, url, ms } = answer;
  const said = url === null ? ['not forwarded'] : [String(status ?? error), `${ms} ms`];
  return oneLine(
    [
      ...[timeOf(event), event.event_type ?? '-', accountOf(event), ...said],
      ...(attempt > 1 ? [`replay ${attempt - 1}`] : []),
    ].join('  '),
  );
}

/** A line of NDJSON for scripts. */
const jsonOf = ({ item: { event }, answer, attempt }: Handled) => ({
  ...{ event_id: event.id, event_type: event.event_type, account: accountOf(event), consumer: event.consumer },
  ...{ external_id: event.external_id, received_at: event.received_at, attempt },
  ...answer,
});

/** For a pipe: a line for each event on standard output, and notes on standard error. */
export function linesView({ out }: Pick<Cli, 'out'>): View {
  return {
    handled: (one) => out.bytes(Buffer.from(`${out.json ? JSON.stringify(jsonOf(one)) : lineOf(one)}\n`)),
    note: (text) => out.note(text),
    state: () => undefined,
    close: () => undefined,
  };
}
