import { call } from './api.js';
import { make } from './dom.js';

/**
 * @typedef {import('./api.js').EventItem} EventItem
 * @typedef {import('./api.js').Answer<EventItem>} ActionAnswer
 * @typedef {object} Action
 * @property {string} name
 * @property {string} label
 * @property {string} done what to tell once the API has taken it
 * @property {boolean} attempts whether an attempt follows
 * @property {(id: string, reason: string) => Promise<ActionAnswer>} run
 */

/** @type {Record<'replay' | 'retry' | 'ack' | 'dead', Action>} */
const actions = {
  replay: {
    name: 'replay',
    label: 'Replay',
    done: 'Replayed: ten fresh attempts, the first one now.',
    attempts: true,
    run: (id) => call('POST', `/admin/events/${id}/replay`),
  },
  retry: {
    name: 'retry',
    label: 'Retry now',
    done: 'One attempt is on its way.',
    attempts: true,
    run: (id) => call('POST', `/admin/delivery/retry/${id}`),
  },
  ack: {
    name: 'ack',
    label: 'Acknowledge',
    done: 'Acknowledged: the event counts as processed, and attempts stop.',
    attempts: false,
    run: (id) => call('POST', `/admin/events/${id}/ack`),
  },
  dead: {
    name: 'dead',
    label: 'Mark dead …',
    done: 'Marked dead: attempts stop.',
    attempts: false,
    run: (id, reason) => call('POST', `/admin/events/${id}/fail`, { dead: true, ...(reason ? { error: reason } : {}) }),
  },
};

/**
 * The buttons of an event.
 *
 * @param {(action: Action, reason: string) => void} chosen
 */
export function actionButtons(chosen) {
  const { dialog, ask } = confirmDead((reason) => chosen(actions.dead, reason));
  const buttons = Object.values(actions).map((action) => {
    const tone = action === actions.replay ? 'main' : action === actions.dead ? 'danger' : '';
    const button = make('button', { type: 'button', id: `do-${action.name}`, class: tone }, action.label);
    button.addEventListener('click', () => (action === actions.dead ? ask() : chosen(action, '')));
    return button;
  });
  return make('div', { class: 'actions', role: 'group', 'aria-label': 'Actions' }, buttons, dialog);
}

/** @param {(reason: string) => void} confirmed */
function confirmDead(confirmed) {
  const reason = make('input', { id: 'reason', type: 'text', maxlength: 2000, autocomplete: 'off' });
  const cancel = make('button', { type: 'button' }, 'Cancel');
  const form = make(
    'form',
    { method: 'dialog' },
    make('h2', { id: 'dead-title' }, 'Mark this event dead?'),
    make('p', {}, 'Attempts stop, and nobody is notified. Only a replay revives it.'),
    make('label', { for: 'reason' }, 'Reason (optional, becomes the last error)'),
    reason,
    make('div', { class: 'actions' }, make('button', { type: 'submit', class: 'danger' }, 'Mark dead'), cancel),
  );
  const dialog = make('dialog', { 'aria-labelledby': 'dead-title' }, form);
  cancel.addEventListener('click', () => dialog.close());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    dialog.close();
    confirmed(reason.value.trim());
  });
  return { dialog, ask: () => dialog.showModal() };
}
