import { problemOf, unreachable } from './problem.ts';
import { token } from './token.ts';

/**
 * The body of an event as it was received.
 *
 * @throws ApiProblem
 */
export async function fetchPayload(eventId: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(`/admin/events/${encodeURIComponent(eventId)}/payload`, {
    headers: { 'x-admin-token': token.get() ?? '' },
    cache: 'no-store',
  }).catch((error: unknown) => {
    throw unreachable(error);
  });
  if (!answer.ok) throw problemOf(answer.status, await answer.json().catch(() => null));
  return new Uint8Array(await answer.arrayBuffer());
}
