import { localTime, utcTime } from './format.js';

/** @typedef {Node | string | number | null | undefined | false} Child null, undefined and false add no node */

/**
 * Creates an element. Strings become text nodes and are never parsed as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | null | undefined>} attributes true sets an empty attribute; false, null and undefined set none
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child === false || child === null || child === undefined) continue;
    element.append(typeof child === 'number' ? String(child) : child);
  }
  return element;
}

/**
 * The element of `shell.html` with this id.
 *
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function shellElement(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * A time in the local time zone. UTC is shown on hover, and with `utc` also beside it, for devices without hover.
 *
 * @param {string | null | undefined} iso
 * @param {{utc?: boolean}} [options]
 */
export function moment(iso, { utc = false } = {}) {
  if (!iso) return '–';
  const shown = make('time', { datetime: iso, title: utcTime(iso) }, localTime(iso));
  return utc ? make('span', {}, shown, ' ', make('span', { class: 'aside' }, utcTime(iso))) : shown;
}

/**
 * Both states of an event.
 *
 * @param {{status: string, delivery_status: string | null}} event
 */
export function stateBadges({ status, delivery_status }) {
  return [delivery_status && badge(delivery_status, `delivery ${delivery_status}`), badge(status, `status ${status}`)];
}

/**
 * A state as a coloured label. The text alone also identifies the state.
 *
 * @param {string} state
 * @param {string} [label]
 */
export function badge(state, label = state) {
  return make('span', { class: `badge ${tones.get(state) ?? 'calm'}` }, label);
}

const tones = new Map([
  ...['failed', 'dead', 'rejected'].map((state) => /** @type {const} */ ([state, 'bad'])),
  ...['delivered', 'processed', 'sent'].map((state) => /** @type {const} */ ([state, 'good'])),
  /** @type {const} */ (['pending', 'open']),
]);

/**
 * A sentence. Text between backticks becomes code.
 *
 * @param {string} text
 */
export function prose(text) {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : make('code', {}, part)));
}

/**
 * Preformatted text in a scrollable box, which is focusable so that the keyboard can scroll it.
 *
 * @param {string} label
 * @param {string} text
 */
export function textBox(label, text) {
  return make('pre', { tabindex: 0, role: 'region', 'aria-label': label }, text);
}

/**
 * A collapsible section. The key identifies it when the page is rendered again, so that it stays open.
 *
 * @param {string} key
 * @param {Child} summary
 * @param {...Child} content
 */
export function details(key, summary, ...content) {
  return make('details', { 'data-key': key }, make('summary', {}, summary), ...content);
}
