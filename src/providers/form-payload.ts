import { parseWithinBounds, webhookBounds } from '../shared/bounded-json.ts';
import { asFields, type Fields } from './fields.ts';

/** The JSON object that `form` carries in its field `payload`; null when there is none or it has over 500 levels. */
export function formPayload(form: URLSearchParams): Fields | null {
  return asFields(parseWithinBounds(form.get('payload') ?? '', webhookBounds));
}
