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
 * Tells something that was done, or goes on; screen readers say it.
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
 * Shows above the page whatever holds for all of it; nothing takes it away.
 *
 * @param {Node | null} banner
 */
export function showBanner(banner) {
  // As with `show`.
  if (token.get() === null) return;
  pause.replaceChildren(...(banner ? [banner] : []));
}

/**
 * Shows the page's content. What was open stays open, and what had the focus keeps it.
 *
 * @param {string} title
 * @param {...Node} content
 */
export function show(title, ...content) {
  // An answer may come after the sign-out; then nobody may see it.
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
 * Shows a problem in place of the page; one of the token asks for another one.
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
  // Only wrong tokens meet a 429.
  return status === 401 || status === 429;
}

/**
 * Forgets the token and whatever was shown, and asks for one.
 *
 * @param {Problem | null} problem why
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

/** @param {() => void} signedIn is called with each token that is given */
export function listenForToken(signedIn) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    // Pasted ones bring spaces along.
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
