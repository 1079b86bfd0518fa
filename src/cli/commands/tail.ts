import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { type FeedOptions, feedChoice, withFeedOptions } from '../listen/feed-options.ts';
import type { FeedItem } from '../listen/feed-page.ts';
import { runSession } from '../listen/session.ts';
import { linesView } from '../listen/view.ts';
import { oneLine } from '../output/printable.ts';

/** `events tail`: the feed, in its order and without a gap. */
export function addTailCommand(events: Command, cli: Cli): void {
  withFeedOptions(events.command('tail'))
    .description('Show new events as they arrive; with --json as NDJSON, with headers and the body in base64')
    .option('--no-follow', 'end when there is nothing more now, and with 1 when the gateway is away')
    .addHelpText(
      'after',
      '\n--resume goes on after what was written to standard output. A reader that must miss nothing stores the\ncursor itself, once it has processed an event: GET /admin/feed.',
    )
    .action(async ({ follow, ...options }: FeedOptions & { follow: boolean }) => {
      const choice = feedChoice(cli, 'tail', options);
      await runSession({
        ...choice,
        giveUpMs: choice.giveUpMs ?? (follow ? null : 0),
        handle: (item) => cli.out.bytes(Buffer.from(`${cli.out.json ? JSON.stringify(item) : lineOf(item)}\n`)),
        ...{ perAccount: false, follow, view: linesView(cli), ready: null, signal: cli.signal },
      });
    });
}

const lineOf = ({ event: { received_at, event_type, provider, account_slug, id } }: FeedItem) =>
  oneLine(`${received_at}  ${event_type ?? '-'}  ${provider}/${account_slug}  ${id}`);
