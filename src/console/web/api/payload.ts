import { fetchAdmin } from './fetch.ts';
import { problemOf, unreachable } from './problem.ts';

/**
 * The body of an event as it was received.
 *
 * @throws ApiProblem
 */
export async function fetchPayload(eventId: string): Promise<Uint8Array<ArrayBuffer>> {
  const path = `/admin/events/${encodeURIComponent(eventId)}/payload`;
  const answer = await fetchAdmin(path).catch((error: unknown) => {
    throw unreachable(error);
  });
  if (!answer.ok) throw problemOf(answer.status, await answer.json().catch(() => null));
  return new Uint8Array(await answer.arrayBuffer());
}
