import { vi } from 'vitest';

/** Does something with the clock set back by so many days, so that its audit entries are that old. */
export async function daysAgo(days: number, work: () => Promise<unknown>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - days * 86_400_000 });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}
