import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { repeated } from '../options.ts';
import { type FeedOptions, feedChoice, withFeedOptions } from './feed-options.ts';
import type { FeedItem } from './feed-page.ts';
import { Forwarder } from './forward.ts';
import { parseRoutes, type Route } from './routes.ts';
import { runSession } from './session.ts';
import { isInteractive, terminalView } from './terminal-view.ts';
import { linesView, type View } from './view.ts';

interface Options extends FeedOptions {
  forward?: string;
  route?: string[];
  printSecret?: boolean;
}

/** `listen`: shows events as they are stored, and forwards them to a local server. */
export function addListenCommand(program: Command, cli: Cli): void {
  const command = program
    .command('listen')
    .description('Show events as they arrive, and forward them to a local server')
    .option('--forward <url>', 'POST each event to this address')
    .option(
      "--route <'pattern=url'>",
      "POST events of these types there instead, such as 'invoice.*=http://localhost:4000' (repeatable)",
      repeated,
    );
  withFeedOptions(command)
    .option('--print-secret', 'print the secret that signs what is forwarded')
    .addHelpText('after', '\nKeys in a terminal: arrows select an event, r replays it locally, q ends.')
    .action((options: Options) => listen(cli, options));
}

async function listen(cli: Cli, options: Options): Promise<void> {
  const routes = parseRoutes(options.route ?? [], options.forward);
  const choice = feedChoice(cli, 'listen', options);
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const stop = new AbortController();
  const signal = AbortSignal.any([cli.signal, stop.signal]);
  const view: View = isInteractive(cli)
    ? terminalView(cli, {
        quit: () => stop.abort(),
        // As a terminal that is not in raw mode does.
        interrupt: () => process.kill(process.pid, 'SIGINT'),
        replay: ({ item, attempt }) => handle(item, attempt + 1),
      })
    : linesView(cli);
  const forwarder = new Forwarder({ routes, secret, note: (text) => view.note(text) });
  const handle = async (item: FeedItem, attempt = 1) =>
    view.handled({ item, attempt, answer: await forwarder.forward(item, attempt) });
  try {
    if (options.printSecret === true) view.note(`Signing secret of this session: ${secret}`);
    const perAccount = routes.length > 0;
    await runSession({
      ...{ ...choice, handle, perAccount, follow: true, view, ready: readyText(routes), signal },
      onPage: ({ dropped_headers: names }) => forwarder.drop(names),
    });
  } finally {
    view.close();
  }
}

const readyText = (routes: readonly Route[]) =>
  routes.length === 0
    ? 'ready: events are shown, and not forwarded'
    : `ready: forwarding to ${[...new Set(routes.map(({ url }) => url.origin))].join(', ')}`;
