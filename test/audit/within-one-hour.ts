/** Waits for the next clock hour if this one ends within two minutes, so that a test is in one hour. */
export async function withinOneHour(): Promise<void> {
  const leftMs = 3_600_000 - (Date.now() % 3_600_000);
  if (leftMs < 120_000) await new Promise((resolve) => setTimeout(resolve, leftMs + 100));
}
