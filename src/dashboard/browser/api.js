/**
 * Calls of the admin API, and the admin token for them.
 *
 * @typedef {import('zod').infer<typeof import('../../events/event-schemas.ts').eventItem>} EventItem
 * @typedef {import('zod').infer<typeof import('../../events/event-schemas.ts').event>} WholeEvent
 * @typedef {import('zod').infer<typeof import('../../events/event-schemas.ts').filterValues>} FilterValues
 * @typedef {import('zod').infer<typeof import('../../events/delivery-schemas.ts').deliveryStats>} DeliveryStats
 * @typedef {{status: number, title: string, detail: string}} Problem `status` is 0 if there was no response
 */

/**
 * @template T
 * @typedef {{ok: true, data: T, link: string | null} | {ok: false, problem: Problem}} Answer
 */

const key = 'webhook-gateway-admin-token';
/** Longer than any call of the API takes, and short enough that the user still waits for the error. */
const timeLimitMs = 30_000;

/** The admin token. Kept only for this tab, until the tab is closed. */
export const token = {
  get: () => sessionStorage.getItem(key),
  /** @param {string} value */
  set: (value) => sessionStorage.setItem(key, value),
  clear: () => sessionStorage.removeItem(key),
};

/**
 * Calls the API. Every failure is returned as a problem that can be shown to the user.
 *
 * @template T the body of the response
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<Answer<T>>}
 */
export async function call(method, path, body) {
  const given = token.get() ?? '';
  // A header cannot contain such a token, so it is not valid.
  if (!/^[\x21-\x7e]+$/.test(given)) {
    return failed({
      status: 401,
      title: 'A valid admin token is required',
      detail: 'an admin token contains only printable ASCII characters',
    });
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
    const detail = late
      ? 'it did not respond within 30 seconds'
      : 'check your connection, and that the gateway is running';
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
 * The problem in an error response (RFC 9457). The response of a proxy has no problem, so its status is used.
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
  return { status, title: 'Unexpected response', detail: response.statusText || 'the response gives no reason' };
}
