import { call } from './api.js';
import { make } from './dom.js';

/**
 * @typedef {import('./api.js').EventItem} EventItem
 * @typedef {import('./api.js').Answer<EventItem>} ActionAnswer
 * @typedef {object} Action
 * @property {string} name
 * @property {string} label
 * @property {string} done the message after the API has accepted the action
 * @property {boolean} attempts whether the action leads to an attempt
 * @property {(id: string, reason: string) => Promise<ActionAnswer>} run
 */

/** @type {Record<'replay' | 'retry' | 'ack' | 'dead', Action>} */
const actions = {
  replay: {
    name: 'replay',
    label: 'Replay',
    done: 'Replay accepted: ten more attempts, the first one now.',
    attempts: true,
    run: (id) => call('POST', `/admin/events/${id}/replay`),
  },
  retry: {
    name: 'retry',
    label: 'Retry now',
    done: 'Retry accepted: one attempt now.',
    attempts: true,
    run: (id) => call('POST', `/admin/delivery/retry/${id}`),
  },
  ack: {
    name: 'ack',
    label: 'Acknowledge',
    done: 'Acknowledged: the event is processed, and its attempts stop.',
    attempts: false,
    run: (id) => call('POST', `/admin/events/${id}/ack`),
  },
  dead: {
    name: 'dead',
    label: 'Mark dead …',
    done: 'Marked dead: the attempts stop.',
    attempts: false,
    run: (id, reason) => call('POST', `/admin/events/${id}/fail`, { dead: true, ...(reason ? { error: reason } : {}) }),
  },
};

/**
 * The action buttons of an event.
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
    make('p', {}, 'Its attempts stop, and no notification is sent. Only a replay starts new attempts.'),
    make('label', { for: 'reason' }, 'Reason (optional, stored as the last error)'),
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
