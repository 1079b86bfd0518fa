const shown = 3;

/** A failed check in words with its first cases; nothing if there is no case. */
export function some(what: string, cases: readonly unknown[]): string[] {
  if (cases.length === 0) return [];
  const first = cases.slice(0, shown).map((one) => JSON.stringify(one));
  return [`${cases.length} ${what}: ${first.join(', ')}${cases.length > shown ? ', …' : ''}`];
}
