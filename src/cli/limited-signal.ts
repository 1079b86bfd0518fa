/**
 * Runs `work` with a signal that is aborted with `signal`, or after a time limit with a `TimeoutError`. Unlike
 * AbortSignal.timeout, nothing of it is left in memory when the work is done.
 *
 * @param what the message of the `TimeoutError`
 * @param work may call `restart`, which gives it the whole limit again
 */
export async function withTimeLimit<T>(
  { limitMs, signal, what }: { limitMs: number; signal?: AbortSignal | undefined; what: string },
  work: (signal: AbortSignal, restart: () => void) => Promise<T>,
): Promise<T> {
  const limited = new AbortController();
  const timer = setTimeout(() => limited.abort(new DOMException(what, 'TimeoutError')), limitMs);
  const stop = () => limited.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  try {
    return await work(limited.signal, () => void timer.refresh());
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
