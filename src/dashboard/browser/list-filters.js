import { make } from './dom.js';
import { localTime } from './format.js';

/** @typedef {import('./api.js').FilterValues} FilterValues */

const statuses = ['received', 'enqueued', 'processed', 'failed', 'dead', 'rejected'];
const deliveryStatuses = ['pending', 'delivered', 'failed'];
const inForm = ['provider', 'account_slug', 'event_type', 'delivery_status', 'status'];
const ofPage = ['before', 'offset'];

/**
 * The filter form, and the filters in the URL that the form does not have.
 *
 * @param {URLSearchParams} query
 * @returns {{element: HTMLElement, suggest: (values: FilterValues) => void}} `suggest` sets the suggested values
 */
export function filterForm(query) {
  const provider = suggesting('provider', 'Provider', query);
  const account = suggesting('account_slug', 'Account', query);
  const type = suggesting('event_type', 'Event type', query);
  const form = make(
    'form',
    { class: 'filters' },
    provider.element,
    account.element,
    type.element,
    choosing('delivery_status', 'Delivery', query, deliveryStatuses),
    choosing('status', 'Status', query, statuses),
    make(
      'div',
      { class: 'actions' },
      make('button', { type: 'submit', class: 'main' }, 'Filter'),
      make('a', { class: 'button', href: '/dashboard/events' }, 'All events'),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = new URLSearchParams(query);
    // The cursor and offset belong to the previous filters.
    for (const name of [...inForm, ...ofPage]) wanted.delete(name);
    for (const [name, value] of new FormData(form)) {
      if (typeof value === 'string' && value.trim() !== '') wanted.set(name, value.trim());
    }
    location.assign(`/dashboard/events?${wanted}`);
  });
  // On a phone the form is closed, so that the events are visible; its summary shows the filters.
  const open = matchMedia('(min-width: 48rem)').matches;
  const set = inForm.flatMap((name) => query.getAll(name)).join(' · ');
  const summary = make('summary', {}, 'Filters', set !== '' && make('span', { class: 'aside' }, ` ${set}`));
  const shown = make('details', { class: 'panel', 'data-key': 'filters', open }, summary, form);
  return {
    element: make('div', {}, shown, others(query)),
    suggest({ providers, account_slugs, event_types }) {
      provider.suggest(providers);
      account.suggest(account_slugs);
      type.suggest(event_types);
    },
  };
}

/**
 * Filters from a link that the form does not have, each with a link that removes it.
 *
 * @param {URLSearchParams} query
 */
function others(query) {
  const chips = [...query].flatMap(([name, value]) => {
    if (inForm.includes(name) || ofPage.includes(name)) return [];
    const without = new URLSearchParams(query);
    for (const gone of [name, ...ofPage]) without.delete(gone);
    const shown = name === 'since' || name === 'until' ? localTime(value) : value;
    const label = `Remove filter ${name}`;
    return [
      make(
        'li',
        {},
        `${name.replaceAll('_', ' ')}: ${shown}`,
        make('a', { href: `/dashboard/events?${without}`, 'aria-label': label, title: label }, '×'),
      ),
    ];
  });
  return chips.length > 0 && make('ul', { class: 'chips', 'aria-label': 'Further filters' }, chips);
}

/**
 * @param {string} name
 * @param {string} label
 * @param {URLSearchParams} query
 */
function suggesting(name, label, query) {
  const id = `${name}-values`;
  const value = query.get(name) ?? '';
  const typing = { maxlength: 500, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' };
  const list = make('datalist', { id });
  return {
    element: make(
      'div',
      {},
      make('label', { for: name }, label),
      make('input', { id: name, name, list: id, value, ...typing }),
      list,
    ),
    /** @param {string[]} values */
    suggest: (values) => list.replaceChildren(...values.map((value) => make('option', { value }))),
  };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {URLSearchParams} query
 * @param {string[]} values
 */
function choosing(name, label, query, values) {
  const given = query.get(name) ?? '';
  const options = ['', ...values].map((value) =>
    make('option', { value, selected: value === given }, value === '' ? 'any' : value),
  );
  return make('div', {}, make('label', { for: name }, label), make('select', { id: name, name }, options));
}
