import { parseWithinBounds, webhookBounds } from '../shared/bounded-json.ts';
import { asFields, type Fields } from './fields.ts';

/** The JSON object in the field `payload` of a form; null when there is none or it has over 500 levels. */
export function formPayload(form: URLSearchParams): Fields | null {
  return asFields(parseWithinBounds(form.get('payload') ?? '', webhookBounds));
}
