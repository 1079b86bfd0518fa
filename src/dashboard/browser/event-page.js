import { call, token } from './api.js';
import { details, make, moment, stateBadges, textBox } from './dom.js';
import { actionButtons } from './event-actions.js';
import { attemptsTable, headersTable, notificationsTable } from './event-tables.js';
import { byteSize, counted, payloadText } from './format.js';
import { openPauseBanner } from './pause-banner.js';
import { meaningOf } from './rejection-reasons.js';
import { askForToken, isOfToken, show, showProblem, tell, tellNothing, tellProblem } from './screen.js';

/**
 * @typedef {import('./api.js').WholeEvent} WholeEvent
 * @typedef {import('./event-actions.js').Action} Action
 */

/** Delays between the checks for a new attempt: 17 s in total, since an attempt takes at most 15 s by default. */
const checkDelaysMs = [700, 1500, 3000, 5000, 7000];

/**
 * Shows one event.
 *
 * @param {string} id as in the page's URL
 */
export async function openEvent(id) {
  requests += 1;
  tell('Loading …');
  const answer = await read(id);
  if (!answer.ok) return showProblem(answer.problem, () => openEvent(id));
  tellNothing();
  showEvent(id, answer.data);
  await openPauseBanner();
}

/**
 * @param {string} id
 * @returns {Promise<import('./api.js').Answer<WholeEvent>>}
 */
async function read(id) {
  /** @type {import('./api.js').Answer<WholeEvent>} */
  const answer = await call('GET', `/admin/events/${id}`);
  // `filters` and `replay-failed` in the place of the id are other routes of the API, which respond with another body or 405.
  if (answer.ok ? 'id' in answer.data : answer.problem.status !== 405) return answer;
  return {
    ok: false,
    problem: { status: 404, title: 'Not found', detail: 'there is no event with this id' },
  };
}

/**
 * @param {string} id
 * @param {WholeEvent} event
 */
function showEvent(id, event) {
  const refresh = make('button', { type: 'button', id: 'refresh', class: 'quiet' }, 'Refresh');
  refresh.addEventListener('click', () => openEvent(id));
  const { kind, text } = payloadText(event.payload);
  show(
    `${event.event_type ?? 'Event'} · ${event.delivery_status ?? event.status}`,
    make('p', { class: 'trail' }, make('a', { href: '/dashboard/events' }, '← All events'), refresh),
    make('h1', {}, event.event_type ?? make('span', { class: 'aside' }, 'no event type')),
    make('p', { class: 'badges' }, stateBadges(event), counted(event.attempts, 'attempt')),
    problemOf(event),
    event.status === 'rejected'
      ? make(
          'p',
          { class: 'aside' },
          'The webhook failed verification. The event is stored for inspection and is never delivered.',
        )
      : actionButtons((action, reason) => act(id, event, action, reason)),
    facts(event),
    attemptsTable(event.delivery_history),
    notificationsTable(event.notifications),
    make(
      'section',
      {},
      make('h2', {}, 'Webhook'),
      event.payload_truncated
        ? make(
            'p',
            { class: 'aside' },
            `Only the beginning of the payload (${byteSize(event.payload_bytes)}) is stored.`,
          )
        : null,
      details('payload', `Payload (${payloadKind(event, kind)})`, textBox('Payload', text)),
      details('headers', `Headers (${headerCount(event)})`, headersTable(event.headers)),
    ),
  );
}

/**
 * @param {WholeEvent} event
 * @param {string} kind
 */
function payloadKind({ payload_bytes, payload_truncated }, kind) {
  return `${kind}, ${payload_truncated ? 'beginning of ' : ''}${byteSize(payload_bytes)}`;
}

/** @param {WholeEvent} event */
function headerCount({ headers, headers_truncated }) {
  return headers_truncated ? `${headers.length}, others are not stored` : String(headers.length);
}

/** @param {WholeEvent} event */
function problemOf({ last_error, rejection_reason, delivery_status }) {
  const text = rejection_reason === null ? last_error : meaningOf(rejection_reason);
  if (text === null) return make('div', { hidden: true });
  const label = rejection_reason === null ? 'Last error' : 'Rejected';
  const tone = delivery_status === 'delivered' ? 'calm' : 'bad';
  return make('p', { class: `notice ${tone}` }, make('span', {}, make('strong', {}, `${label}: `), text));
}

/** @param {WholeEvent} event */
function facts(event) {
  const failed = event.delivery_history.findLast(({ outcome }) => outcome !== 'delivered');
  const failedAt = failed && new Date(Date.parse(failed.started_at) + failed.duration_ms).toISOString();
  const account = new URLSearchParams({ provider: event.provider, account_slug: event.account_slug });
  const utc = { utc: true };
  /** @type {[string, import('./dom.js').Child][]} */
  const rows = [
    ['Provider', event.provider],
    ['Account', make('a', { href: `/dashboard/events?${account}` }, event.account_slug)],
    ['App key', event.app_key],
    ['Received', moment(event.received_at, utc)],
    ['Last failure', failedAt && moment(failedAt, utc)],
    ['Delivered', event.delivered_at && moment(event.delivered_at, utc)],
    ['Next attempt', event.next_attempt_at && moment(event.next_attempt_at, utc)],
    ['Generation', event.generation === 0 ? '0' : `${event.generation} (replayed)`],
    ['Last response', event.response_code === null ? null : String(event.response_code)],
    ['External id', make('code', {}, event.external_id)],
    ['Event id', make('code', {}, event.id)],
    ['Account id', make('code', {}, event.account_id)],
    ['Payload SHA-256', make('code', {}, event.payload_sha256)],
    ['Workflow', workflow(event.workflow)],
  ];
  const shown = rows.filter(([, value]) => value);
  return make(
    'dl',
    { class: 'panel' },
    shown.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );
}

/** @param {WholeEvent['workflow']} workflow */
function workflow(workflow) {
  if (!workflow) return 'not found in Temporal';
  const id = make('code', {}, workflow.id);
  if (!workflow.url || !/^https?:/i.test(workflow.url)) return id;
  return make('a', { href: workflow.url, target: '_blank', rel: 'noopener noreferrer' }, id, ' in Temporal ↗');
}

/** Number of user requests so far. A running `follow` stops when the number has changed. */
let requests = 0;

/**
 * Performs an action, then shows the new state of the event and the result.
 *
 * @param {string} id
 * @param {WholeEvent} before
 * @param {Action} action
 * @param {string} reason
 */
async function act(id, before, action, reason) {
  requests += 1;
  for (const button of document.querySelectorAll('.actions button')) button.setAttribute('disabled', '');
  tell(`${action.label.replace(' …', '')} …`);
  const answer = await action.run(before.id, reason);
  if (!answer.ok && isOfToken(answer.problem)) return askForToken(answer.problem);
  const now = await read(id);
  if (!now.ok) return showProblem(now.problem, () => openEvent(id));
  showEvent(id, now.data);
  document.getElementById(`do-${action.name}`)?.focus({ preventScroll: true });
  if (!answer.ok) return tellProblem(answer.problem);
  tell(action.done, 'good');
  if (action.attempts) await follow(id, now.data, before.delivery_history.length);
}

/**
 * Polls for the attempt that an action requested, and shows its outcome.
 *
 * @param {string} id
 * @param {WholeEvent} event
 * @param {number} known number of attempts before the action
 */
async function follow(id, event, known) {
  const mine = requests;
  const isObsolete = () => mine !== requests || token.get() === null;
  for (const ms of checkDelaysMs) {
    if (event.delivery_history.length > known) break;
    await new Promise((resolve) => setTimeout(resolve, ms));
    // The user has requested something else or signed out, or is in a dialog, which a new page would close.
    if (isObsolete() || document.querySelector('dialog[open]')) return;
    const now = await read(id);
    if (isObsolete()) return;
    if (!now.ok) return showProblem(now.problem, () => openEvent(id));
    event = now.data;
    showEvent(id, event);
  }
  const newest = event.delivery_history.at(-1);
  if (!newest || event.delivery_history.length <= known) tell('No attempt was made yet. Refresh to check again.');
  else if (newest.outcome === 'delivered') tell('Delivered.', 'good');
  else tell(`The attempt failed: ${newest.error ?? newest.outcome}.`, 'bad');
}
