/**
 * The admin API, and the token that opens it.
 *
 * @typedef {import('zod').infer<typeof import('../../events/event-schemas.ts').eventItem>} EventItem
 * @typedef {import('zod').infer<typeof import('../../events/event-schemas.ts').event>} WholeEvent
 * @typedef {import('zod').infer<typeof import('../../events/event-schemas.ts').filterValues>} FilterValues
 * @typedef {import('zod').infer<typeof import('../../events/delivery-schemas.ts').deliveryStats>} DeliveryStats
 * @typedef {{status: number, title: string, detail: string}} Problem `status` is 0 when there was no answer
 */

/**
 * @template T
 * @typedef {{ok: true, data: T, link: string | null} | {ok: false, problem: Problem}} Answer
 */

const key = 'webhook-gateway-admin-token';
/** Longer than the API takes for anything, shorter than anybody looks at a page that does nothing. */
const timeLimitMs = 30_000;

/** Of this tab alone, and gone with it. */
export const token = {
  get: () => sessionStorage.getItem(key),
  /** @param {string} value */
  set: (value) => sessionStorage.setItem(key, value),
  clear: () => sessionStorage.removeItem(key),
};

/**
 * Asks the API; whatever goes wrong is a problem that people can read.
 *
 * @template T what it answers with
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<Answer<T>>}
 */
export async function call(method, path, body) {
  const given = token.get() ?? '';
  // Such a token cannot stand in a header, so nobody has it.
  if (!/^[\x21-\x7e]+$/.test(given)) {
    return failed({ status: 401, title: 'A valid admin token is needed', detail: 'this is no admin token' });
  }
  try {
    const response = await fetch(path, {
      method,
      headers: { 'x-admin-token': given, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      cache: 'no-store',
      signal: AbortSignal.timeout(timeLimitMs),
    });
    if (!response.ok) return failed(await problemOf(response));
    return { ok: true, data: await response.json(), link: response.headers.get('link') };
  } catch (error) {
    console.warn(error);
    const late = error instanceof DOMException && error.name === 'TimeoutError';
    const detail = late ? 'it took too long to answer' : 'check your connection, and whether the gateway runs';
    return failed({ status: 0, title: 'The gateway could not be reached', detail });
  }
}

/**
 * @param {Problem} problem
 * @returns {{ok: false, problem: Problem}}
 */
function failed(problem) {
  return { ok: false, problem };
}

/**
 * What an error answer says (RFC 9457); of one that a proxy made, its status.
 *
 * @param {Response} response
 * @returns {Promise<Problem>}
 */
async function problemOf(response) {
  const { status } = response;
  if (response.headers.get('content-type')?.startsWith('application/problem+json')) {
    const { title, detail } = await response.json();
    return { status, title: String(title), detail: String(detail) };
  }
  return { status, title: 'The gateway did not answer as expected', detail: response.statusText || 'no reason given' };
}
