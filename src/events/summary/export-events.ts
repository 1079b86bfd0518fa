import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Sql } from '../../database/sql.ts';
import { type CancelableReaders, untilAborted } from '../../database/until-aborted.ts';
import { CallLimit } from '../../http/admin/call-limit.ts';
import { Problem } from '../../http/problem.ts';
import type { ListFilters } from '../event-filters.ts';
import { listEvents } from '../list.ts';
import { type ExportFormat, headOf, lineOf } from './export-lines.ts';
import { lastAnswers } from './last-answers.ts';

/** Events of one statement: about 0.5 MB of lines, which is what an export holds in memory. */
const pageEvents = 500;
/** Exports of one process at a time. Most of them wait for their client, or for the next page. */
const mostExports = 16;
/** Half of the connections for operators' lists. */
const pagesAtOnce = 2;
/** Seconds after which a refused client may try again. */
const retryAfterS = 5;

export interface EventExport {
  filter: ListFilters;
  format: ExportFormat;
  /** @throws Problem when the export must end, because its token was revoked. */
  requireInForce(): void;
}

/** Writes lists of events to clients, as long as these read. */
export class EventExports {
  readonly #database: CancelableReaders;
  readonly #pages = new CallLimit({ kind: 'exports', atOnce: pagesAtOnce, maxWaiting: Number.POSITIVE_INFINITY });
  #running = 0;

  constructor(database: CancelableReaders) {
    this.#database = database;
  }

  /** Takes a place until the response, which must be open, is closed. @throws Problem `too_many_calls` */
  reserve(response: ServerResponse): void {
    if (this.#running >= mostExports)
      throw new Problem('too_many_calls', `this process has ${mostExports} exports in progress; try again later`, {
        headers: { 'retry-after': String(retryAfterS) },
      });
    this.#running += 1;
    response.once('close', () => {
      this.#running -= 1;
    });
  }

  /**
   * Writes the events of a list, newest first. The next page is read when the client has taken the one before. A client that
   * leaves ends the statement in progress.
   *
   * @param signal aborted when the client has left
   */
  async write(
    { filter, format, requireInForce }: EventExport,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    let text = headOf(format);
    for (let before: string | undefined; ; ) {
      const { lines, last } = await this.#pages.run(signal, () =>
        untilAborted(this.#database, signal, (sql) => readPage(sql, { ...filter, before }, format)),
      );
      requireInForce();
      signal.throwIfAborted();
      text += lines;
      if (last === null) break;
      if (!response.write(text)) await once(response, 'drain', { signal });
      before = last;
      text = '';
    }
    response.end(text);
  }
}

/** The lines of a page, and its last event; null: there are no more. */
async function readPage(sql: Sql, filter: ListFilters & { before: string | undefined }, format: ExportFormat) {
  const events = await listEvents(sql, { ...filter, limit: pageEvents, offset: 0 });
  const failed = events.filter(({ last_error }) => last_error !== null).map(({ id }) => id);
  const answers = new Map(
    (await lastAnswers(sql, failed, filter.accountIds ?? null)).map((answer) => [answer.id, answer]),
  );
  return {
    lines: events.map((event) => lineOf(format, event, answers.get(event.id))).join(''),
    last: events.length < pageEvents ? null : (events.at(-1)?.id ?? null),
  };
}
