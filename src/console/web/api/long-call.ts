import { fetchAdmin, messagesOf } from './fetch.ts';
import { ApiProblem, problemOf, unreachable } from './problem.ts';

/**
 * Makes a call of the admin API that may take minutes and reports its progress. The gateway ends it when `signal` is
 * aborted.
 *
 * @throws ApiProblem when it fails or ends without a result.
 */
export async function longCall<Result, Progress>(
  path: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress(now: Progress): void },
): Promise<Result> {
  try {
    const answer = await fetchAdmin(path, { headers: { accept: 'text/event-stream' }, signal });
    if (!answer.ok || !answer.body) throw problemOf(answer.status, await answer.json().catch(() => null));
    for await (const { event, data } of messagesOf(answer.body)) {
      const content = JSON.parse(data);
      if (event === 'progress') onProgress(content);
      if (event === 'problem') throw problemOf(content.status, content);
      if (event === 'result') return content;
    }
    throw new Error('the stream ended without a result');
  } catch (error) {
    throw error instanceof ApiProblem ? error : unreachable(error);
  }
}
