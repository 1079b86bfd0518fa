import { call, token } from './api.js';
import { make, moment, stateBadges } from './dom.js';
import { counted, nextQuery, utcTime } from './format.js';
import { filterForm } from './list-filters.js';
import { openPauseBanner } from './pause-banner.js';
import { show, showProblem, tell, tellNothing, tellProblem } from './screen.js';

/**
 * @typedef {import('./api.js').EventItem} EventItem
 * @typedef {import('./api.js').FilterValues} FilterValues
 */

/** Shows the events that match the query of the page's URL, which has the parameters of the API. */
export async function openList() {
  tell('Loading …');
  const query = new URLSearchParams([...new URLSearchParams(location.search)].filter(([, value]) => value !== ''));
  /** @type {import('./api.js').Answer<EventItem[]>} */
  const list = await call('GET', query.size === 0 ? '/admin/events' : `/admin/events?${query}`);
  if (!list.ok && list.problem.status !== 422) return showProblem(list.problem, openList);
  const { element, suggest } = filterForm(query);
  show(
    'Events',
    make('h1', {}, 'Events'),
    element,
    ...(list.ok ? [events(list.data), pages(query, nextQuery(list.link))] : []),
  );
  // The page is also shown when the API refuses a filter, so that the user can correct it in the form.
  if (!list.ok) tellProblem(list.problem);
  else if (list.data.length === 0) tell('No events match.');
  else tellNothing();

  // After the list, which is more urgent. Also, a wrong token then causes one failed request instead of three.
  const banner = openPauseBanner();
  /** @type {import('./api.js').Answer<FilterValues>} */
  const values = await call('GET', '/admin/events/filters');
  if (values.ok) suggest(values.data);
  else if (token.get() !== null) tellProblem(values.problem);
  await banner;
}

/** @param {EventItem[]} items */
function events(items) {
  if (items.length === 0) {
    return make('p', { class: 'panel empty' }, 'No events match. Change the filters, or show all events.');
  }
  return make('ul', { class: 'events' }, items.map(card));
}

/** @param {EventItem} item */
function card(item) {
  const { id, event_type, provider, account_slug, attempts } = item;
  const error = item.rejection_reason ?? item.last_error;
  return make(
    'li',
    {},
    // The link covers the whole card, so it has the tooltip.
    make(
      'a',
      { href: `/dashboard/events/${encodeURIComponent(id)}`, title: utcTime(item.received_at) },
      event_type ?? 'no event type',
    ),
    make('span', { class: 'source' }, `${provider} / ${account_slug}`),
    make('span', { class: 'states' }, stateBadges(item), counted(attempts, 'attempt')),
    make('span', { class: 'when' }, moment(item.received_at)),
    error && make('span', { class: 'error' }, error),
  );
}

/**
 * @param {URLSearchParams} query
 * @param {string | null} next
 */
function pages(query, next) {
  const newest = new URLSearchParams(query);
  newest.delete('before');
  newest.delete('offset');
  return make(
    'nav',
    { class: 'pages', 'aria-label': 'Pages' },
    newest.size < query.size && make('a', { href: `/dashboard/events?${newest}` }, '← Newest events'),
    next !== null && make('a', { href: `/dashboard/events?${next}`, rel: 'next', id: 'next' }, 'Next page →'),
  );
}
