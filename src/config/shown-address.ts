/** Parameters of addresses that hold no secret. All others are left out, such as `password` and `sslkey`. */
const shownParameters = new Set(['sslmode', 'region', 'endpoint']);

/**
 * The value of a setting as operators see it. Addresses are without user, password, fragment and unknown parameters. An
 * address that cannot be read is not shown at all.
 *
 * @param name the variable; the values of `…_URL`, `…_ENDPOINT` and `DELIVERY_PROXY` are addresses
 */
export function shownAddress(name: string, value: string): string | null {
  if (!/(_URL|_ENDPOINT|^DELIVERY_PROXY)$/.test(name)) return value;
  const url = URL.parse(value);
  if (url === null) return null;
  const parameters = [...url.searchParams].flatMap(([parameter, text]) => {
    const shown = shownParameters.has(parameter) ? shownParameter(text) : null;
    return shown === null ? [] : [`${parameter}=${shown}`];
  });
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return `${url.protocol}//${url.host}${url.pathname}${query}`;
}

/** A parameter may be an address itself, with credentials of its own. */
function shownParameter(text: string): string | null {
  if (/^[\w.-]{1,100}$/.test(text)) return text;
  const url = URL.parse(text);
  return url === null ? null : `${url.protocol}//${url.host}`;
}
