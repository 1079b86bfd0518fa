import { type Progress, writeProgress } from './cursor-file.ts';
import type { FeedChoice } from './feed-options.ts';
import type { FeedItem, FeedPage, Place } from './feed-page.ts';
import { readFeed } from './read-feed.ts';
import type { View } from './view.ts';

export interface SessionOptions extends FeedChoice {
  /** Called with each page before its events are handled. */
  onPage?(page: FeedPage): void;
  /** Forwards or shows one event. */
  handle(item: FeedItem): Promise<void>;
  /** Handle the events of several accounts at the same time, those of one in their order. */
  perAccount: boolean;
  /** Go on when there is nothing more now. */
  follow: boolean;
  view: Pick<View, 'note' | 'state'>;
  /** Said when the feed has answered for the first time; null: nothing. */
  ready: string | null;
  signal: AbortSignal;
}

/**
 * Handles the events of the feed until the signal is aborted. The progress is stored once a page is handled, so that a
 * crash repeats events of one page and loses none.
 *
 * @throws CliError as {@link readFeed}
 */
export async function runSession(options: SessionOptions): Promise<void> {
  const { start, follow, view } = options;
  const before = new Set(start.handled);
  const keep = progressKeeper(options);
  // After a crash in its first page, a session resumes at its own beginning.
  keep(start);
  let place: Place = start;
  let onConnected = options.ready;
  for await (const news of readFeed(options)) {
    switch (news.kind) {
      case 'connected':
        view.state('ready');
        if (onConnected !== null) view.note(onConnected);
        onConnected = 'Connected again.';
        break;
      case 'reconnecting':
        view.state('reconnecting');
        view.note(`reconnecting: ${news.reason}`);
        onConnected ??= 'Connected again.';
        break;
      case 'page': {
        options.onPage?.(news.page);
        const handled = await handlePage(options, news.page, before);
        const isWhole = handled.length === news.page.data.length;
        if (isWhole) place = { cursor: news.page.cursor };
        keep({ ...place, handled: isWhole ? [] : handled });
        if (news.page.done && !follow) return;
        break;
      }
    }
  }
}

/**
 * Handles the events of one page until the signal is aborted.
 *
 * @param before ids of events that an earlier session has handled
 * @returns the ids of those that are handled
 */
async function handlePage(
  { handle, perAccount, signal }: Pick<SessionOptions, 'handle' | 'perAccount' | 'signal'>,
  { data }: FeedPage,
  before: ReadonlySet<string>,
): Promise<string[]> {
  const handled: string[] = [];
  const inOrder = async (items: readonly FeedItem[]) => {
    for (const item of items) {
      if (signal.aborted) return;
      if (!before.has(item.event.id)) await handle(item);
      handled.push(item.event.id);
    }
  };
  await Promise.all((perAccount ? byAccount(data) : [data]).map(inOrder));
  return handled;
}

/** The events of each account, in their order. */
function byAccount(items: readonly FeedItem[]): FeedItem[][] {
  const groups = new Map<string, FeedItem[]>();
  for (const item of items) {
    const group = groups.get(item.event.account_id);
    if (group) group.push(item);
    else groups.set(item.event.account_id, [item]);
  }
  return [...groups.values()];
}

/** Stores the progress when it has changed. A folder that cannot be written is said once, and ends nothing. */
function progressKeeper({ file, view }: Pick<SessionOptions, 'file' | 'view'>): (progress: Progress) => void {
  let stored = '';
  let failed = false;
  return (progress) => {
    const text = JSON.stringify(progress);
    // A session that begins now has no place until the first answer.
    if (text === stored || (progress.cursor ?? progress.since) === undefined) return;
    stored = text;
    try {
      writeProgress(file, progress);
    } catch (error) {
      if (!failed)
        view.note(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}): --resume will not work.`);
      failed = true;
    }
  };
}
