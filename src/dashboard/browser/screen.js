import { token } from './api.js';
import { make, shellElement } from './dom.js';

/** @typedef {import('./api.js').Problem} Problem */

const form = shellElement('sign-in', HTMLFormElement);
const field = shellElement('token', HTMLInputElement);
const signOut = shellElement('sign-out', HTMLButtonElement);
const message = shellElement('message', HTMLDivElement);
const page = shellElement('page', HTMLDivElement);
const pause = shellElement('pause', HTMLDivElement);

/**
 * Shows a message about something that was done or is in progress. Screen readers announce it.
 *
 * @param {string} text
 * @param {'good' | 'bad' | 'calm'} [tone]
 */
export function tell(text, tone = 'calm') {
  const close = make('button', { type: 'button', class: 'close', 'aria-label': 'Close this message' }, '×');
  close.addEventListener('click', tellNothing);
  message.replaceChildren(make('p', { class: `notice ${tone}` }, make('span', {}, text), close));
}

/** @param {Problem} problem */
export function tellProblem(problem) {
  tell(problemText(problem), 'bad');
}

/** @param {Problem} problem */
function problemText({ status, title, detail }) {
  return `${title}${status === 0 ? '' : ` (${status})`}: ${detail}.`;
}

export function tellNothing() {
  message.replaceChildren();
}

/**
 * Shows a banner above the page. The user cannot close it.
 *
 * @param {Node | null} banner
 */
export function showBanner(banner) {
  // As in `show`: not after the sign-out.
  if (token.get() === null) return;
  pause.replaceChildren(...(banner ? [banner] : []));
}

/**
 * Shows the content of the page. Open sections stay open, and the focused element keeps the focus.
 *
 * @param {string} title
 * @param {...Node} content
 */
export function show(title, ...content) {
  // A response may arrive after the sign-out, and must not be shown then.
  if (token.get() === null) return;
  document.title = `${title} · Webhook gateway`;
  const keys = [...page.querySelectorAll('details[open]')].map((part) => part.getAttribute('data-key'));
  const focused = page.contains(document.activeElement) ? document.activeElement?.id : '';
  form.hidden = true;
  signOut.hidden = false;
  page.replaceChildren(...content);
  for (const part of page.querySelectorAll('details')) part.open ||= keys.includes(part.getAttribute('data-key'));
  if (focused) document.getElementById(focused)?.focus();
}

/**
 * Shows a problem in place of the page. If the token is wrong, asks for another token.
 *
 * @param {Problem} problem
 * @param {() => void} again
 */
export function showProblem(problem, again) {
  if (isOfToken(problem)) return askForToken(problem);
  const button = make('button', { type: 'button', id: 'again' }, 'Try again');
  button.addEventListener('click', again);
  tellProblem(problem);
  show('Problem', make('p', {}, button));
}

/** @param {Problem} problem */
export function isOfToken({ status }) {
  // The API responds with 429 only to wrong tokens.
  return status === 401 || status === 429;
}

/**
 * Removes the token and the content of the page, and asks for a token.
 *
 * @param {Problem | null} problem the reason, if the token was refused
 */
export function askForToken(problem) {
  token.clear();
  page.replaceChildren();
  pause.replaceChildren();
  document.title = 'Sign in · Webhook gateway';
  signOut.hidden = true;
  form.hidden = false;
  if (problem) tellProblem(problem);
  field.focus();
}

/** @param {() => void} signedIn called after the user has entered a token */
export function listenForToken(signedIn) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    // A pasted token may have spaces around it.
    token.set(field.value.trim());
    field.value = '';
    tell('Signing in …');
    signedIn();
  });
  signOut.addEventListener('click', () => {
    askForToken(null);
    tell('You are signed out.', 'good');
  });
}
