/** Resolves when the process is asked to stop. */
export function untilStopped(stopped: AbortSignal): Promise<void> {
  if (stopped.aborted) return Promise.resolve();
  return new Promise((resolve) => stopped.addEventListener('abort', () => resolve(), { once: true }));
}
