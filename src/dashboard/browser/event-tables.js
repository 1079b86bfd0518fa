import { badge, details, make, moment, textBox } from './dom.js';
import { counted, duration } from './format.js';

/**
 * @typedef {import('./api.js').WholeEvent} WholeEvent
 * @typedef {import('./dom.js').Child} Child
 * @typedef {{label: string, cell: Child, place?: 'row' | 'wide'}} Cell in a narrow window, both places have a line of their own
 */

/**
 * The attempts, newest first.
 *
 * @param {WholeEvent['delivery_history']} history
 */
export function attemptsTable(history) {
  /** @type {Cell[][]} */
  const rows = history.toReversed().map((attempt) => {
    const { number, generation, trigger, started_at, duration_ms, outcome, response_code, error, url } = attempt;
    return [
      { label: 'No.', cell: number },
      { label: 'Generation', cell: generation },
      { label: 'Trigger', cell: trigger },
      { label: 'Started', cell: moment(started_at), place: 'row' },
      { label: 'Duration', cell: duration(duration_ms) },
      { label: 'Outcome', cell: badge(outcome === 'delivered' ? 'delivered' : 'failed', outcome) },
      { label: 'Code', cell: response_code ?? '–' },
      { label: 'Error', cell: error ?? '–', place: 'wide' },
      {
        label: 'Response',
        cell: response(`${generation}-${trigger}-${number}`, attempt.response_body, url),
        place: 'wide',
      },
    ];
  });
  return section('Attempts', rows, 'No attempts yet.');
}

/**
 * @param {string} key
 * @param {string | null} body
 * @param {string | null} url
 */
function response(key, body, url) {
  if (url === null && body === null) return 'no request sent';
  return details(
    `response-${key}`,
    body ? counted(body.length, 'character') : 'no content',
    url && make('p', { class: 'aside' }, `from ${url}`),
    body && textBox('Response', body),
  );
}

/**
 * The notifications about the failed delivery.
 *
 * @param {WholeEvent['notifications']} notifications
 */
export function notificationsTable(notifications) {
  /** @type {Cell[][]} */
  const rows = notifications.map((one) => [
    { label: 'Destination', cell: make('span', { title: one.destination_id }, one.name) },
    { label: 'Type', cell: one.destination_type },
    { label: 'Status', cell: badge(one.status) },
    { label: 'Generation', cell: one.generation, place: 'row' },
    { label: 'Attempts', cell: one.attempts, place: 'row' },
    { label: 'Sent', cell: moment(one.sent_at ?? one.summary?.sent_at ?? null), place: 'row' },
    { label: 'Next', cell: moment(one.next_attempt_at), place: 'row' },
    { label: 'Error or summary', cell: one.error ?? foldedInto(one.summary) ?? '–', place: 'wide' },
    { label: 'Destination id', cell: make('code', {}, one.destination_id), place: 'wide' },
  ]);
  return section('Notifications', rows, 'No notification was sent.');
}

/**
 * The state of the summary that a notification was folded into.
 *
 * @param {WholeEvent['notifications'][number]['summary']} summary
 */
function foldedInto(summary) {
  if (!summary) return null;
  const events = summary.events === 1 ? '1 event' : `${summary.events} events`;
  const failed = summary.error === null ? '' : `: ${summary.error}`;
  return `in a summary of ${events} (${summary.status}${failed})`;
}

/** @param {WholeEvent['headers']} headers */
export function headersTable(headers) {
  const rows = headers.map(([name, value]) =>
    make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, make('code', {}, value))),
  );
  return make('table', { class: 'pairs' }, make('tbody', {}, rows));
}

/**
 * A table that becomes a list of cards in a narrow window. Its roles are explicit, because browsers drop the implicit
 * roles of a table whose CSS `display` changes.
 *
 * @param {string} title
 * @param {Cell[][]} rows
 * @param {string} none the text for an empty table
 */
function section(title, rows, none) {
  const id = title.toLowerCase();
  const heading = make('h2', { id }, title, ' ', make('span', { class: 'aside' }, String(rows.length)));
  const [first] = rows;
  if (!first) return make('section', {}, heading, make('p', { class: 'aside' }, none));
  const head = first.map(({ label }) => make('th', { role: 'columnheader', scope: 'col' }, label));
  const body = rows.map((row) =>
    make(
      'tr',
      { role: 'row' },
      row.map(({ label, cell, place }) => make('td', { role: 'cell', class: place, 'data-label': label }, cell)),
    ),
  );
  return make(
    'section',
    {},
    heading,
    make(
      'table',
      { class: 'cards', role: 'table', 'aria-labelledby': id },
      make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, head)),
      make('tbody', { role: 'rowgroup' }, body),
    ),
  );
}
