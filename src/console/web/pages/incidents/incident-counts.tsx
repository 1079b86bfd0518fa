import { type Incident, isOpen, leftOf } from '../../api/incidents.ts';
import { counted, numberText } from '../../components/number-text.ts';

/** Events are counted up to this number. */
const mostCounted = 10_000;

/** A number that stops at the limit of what is counted. */
export const limitedText = (n: number): string =>
  n >= mostCounted ? `${numberText(mostCounted)} or more` : numberText(n);

/** `76 waiting, 3 exhausted`; of one that is over, `12 to replay`. Null where events are not what is counted. */
export function countsText(incident: Incident): string | null {
  const { kind, attempts, waiting, exhausted } = incident;
  if (kind === 'rejections') return counted(attempts, 'rejected webhook');
  const left = leftOf(incident);
  if (left === null) return null;
  if (!isOpen(incident)) return left > 0 ? `${limitedText(left)} to replay` : null;
  return `${limitedText(waiting ?? 0)} waiting, ${limitedText(exhausted ?? 0)} exhausted`;
}
