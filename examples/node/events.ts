/** The fields of an event: those of a JSON object, or of a form. */
export type Fields = Record<string, unknown>;

/**
 * Reads the body by its content type. Providers decide what they send: most send JSON, some send forms (Twilio, Slack).
 *
 * @returns null if the body is neither a JSON object nor a form
 */
export function readFields(contentType: string | undefined, body: Buffer): Fields | null {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(body.toString()));
  if (type !== 'application/json' && !type.endsWith('+json')) return null;
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
