import { asFields, type Fields } from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';

/** The JSON object that a form carries in its field `payload`; null when there is none. */
export function formPayload(request: InboundRequest): Fields | null {
  const text = request.form()?.get('payload');
  if (!text) return null;
  try {
    return asFields(JSON.parse(text));
  } catch {
    return null;
  }
}
