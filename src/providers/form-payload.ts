import { asFields, type Fields } from './fields.ts';

/** The JSON object that `form` carries in its field `payload`; null when there is none. */
export function formPayload(form: URLSearchParams): Fields | null {
  const text = form.get('payload');
  if (!text) return null;
  try {
    return asFields(JSON.parse(text));
  } catch {
    return null;
  }
}
