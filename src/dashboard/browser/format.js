const local = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
});

/** @param {string} iso */
export function localTime(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : local.format(at);
}

/** @param {string} iso */
export function utcTime(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : at.toISOString().replace('T', ' ').replace('Z', ' UTC');
}

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(1)} s`;
}

/** @param {number} count @param {string} noun */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** @param {number} count */
export function byteSize(count) {
  if (count < 1024) return counted(count, 'byte');
  return count < 1024 ** 2 ? `${(count / 1024).toFixed(1)} KiB` : `${(count / 1024 ** 2).toFixed(1)} MiB`;
}

/**
 * A payload as readable text. The API represents bytes that are not text as an object with only `base64`.
 *
 * @param {unknown} payload
 * @returns {{kind: string, text: string}}
 */
export function payloadText(payload) {
  if (typeof payload === 'string') return { kind: 'text', text: payload };
  if (typeof payload === 'object' && payload !== null && 'base64' in payload && Object.keys(payload).length === 1) {
    const { base64 } = payload;
    if (typeof base64 === 'string') return { kind: 'binary, shown in base64', text: base64 };
  }
  // Bidirectional control characters would change how the text around them is displayed.
  const text = JSON.stringify(payload, null, 2).replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, escaped);
  return { kind: 'JSON', text };
}

/** @param {string} character */
const escaped = (character) => `\\u${character.charCodeAt(0).toString(16)}`;

/**
 * The query of the next page, from the `Link` header of a list; null on the last page.
 *
 * @param {string | null} link
 */
export function nextQuery(link) {
  return /<[^>]*\?([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1] ?? null;
}
