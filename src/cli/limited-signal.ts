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
  let over = false;
  // After a sleep, the timer comes before what has arrived meanwhile: that is read first.
  const end = () => over && limited.abort(new DOMException(what, 'TimeoutError'));
  const timer = setTimeout(() => {
    over = true;
    setImmediate(end);
  }, limitMs);
  const stop = () => limited.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  try {
    return await work(limited.signal, () => {
      over = false;
      timer.refresh();
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
