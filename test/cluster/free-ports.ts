import { freePort } from '../../src/embedded/ports.ts';

/** Different free ports of loopback, from the thousand after `base` on: see `freePort`. */
export async function freePorts(count: number, base: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) found.add(await freePort([], base));
  return [...found];
}
