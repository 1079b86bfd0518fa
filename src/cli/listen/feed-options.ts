import type { Command } from 'commander';
import type { Cli, Connection } from '../cli.ts';
import { usageError } from '../exit.ts';
import { parseDuration } from '../inputs.ts';
import { repeated, timeAgo } from '../options.ts';
import { cursorFile, type Progress, readProgress } from './cursor-file.ts';
import type { FeedFilter } from './feed-page.ts';

/** Options of the commands that read the feed. */
export interface FeedOptions {
  account?: string[];
  type?: string[];
  consumer?: string;
  since?: string;
  resume?: boolean;
  giveUp?: string;
}

/** What a session reads, and from where on. */
export interface FeedChoice {
  connection: Connection;
  filter: FeedFilter;
  start: Progress;
  /** End with an error when the gateway was away for so long; null: never. */
  giveUpMs: number | null;
  /** Where the progress is kept. */
  file: string;
}

/** Adds the options that say which events are read, and from where on. */
export const withFeedOptions = (command: Command): Command =>
  command
    .option('--account <account>', "only these accounts: provider/slug, an id, or 'stripe/*' (repeatable)", repeated)
    .option('--type <type>', 'only these types (repeatable)', repeated)
    .option('--consumer <name>', 'only events for consumers of this name')
    .option('--since <time>', 'begin at a time, or so long ago, such as 1h (default: now)', timeAgo)
    .option('--resume', 'begin where the last session with the same gateway and filters stopped')
    .option('--give-up <duration>', 'end with 1 when the gateway was away for so long, such as 5m (default: never)');

/** @param command which has a progress of its own */
export function feedChoice(cli: Cli, command: 'listen' | 'tail', options: FeedOptions): FeedChoice {
  const { account: accounts = [], type: eventTypes = [], consumer = null, since, resume = false, giveUp } = options;
  if (since !== undefined && resume) throw usageError('--since and --resume cannot be combined', 'Use one of them.');
  const giveUpMs = giveUp === undefined ? null : parseDuration(giveUp, '--give-up');
  const connection = cli.connection();
  const filter = { accounts, eventTypes, consumer };
  const file = cursorFile(cli.env, connection.baseUrl, command, filter);
  const progress = resume ? readProgress(file) : null;
  if (resume && progress === null) cli.out.note('There is nothing to resume; beginning now.');
  const start = progress ?? { ...(since === undefined ? {} : { since }), handled: [] };
  return { connection, filter, start, giveUpMs, file };
}
