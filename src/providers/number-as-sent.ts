/**
 * The digits of the number at `path` of the JSON `text`, or null when there is none. Costs a second, slower parse
 * (0.1 s a MiB): for numbers that the first one could not hold.
 *
 * Source: https://tc39.es/proposal-json-parse-with-source/ (in Node since 21)
 */
export function numberAsSent(text: string, path: readonly string[]): string | null {
  const last = path.at(-1);
  const sources = new Map<unknown, string>();
  // The es2024 library of TypeScript does not know of the last argument yet, so it is optional here.
  function note(this: object, key: string, value: unknown, context?: { source?: string }): unknown {
    if (key === last && typeof value === 'number' && context?.source) sources.set(this, context.source);
    return value;
  }
  try {
    let holder: unknown = JSON.parse(text, note);
    for (const name of path.slice(0, -1)) {
      if (typeof holder !== 'object' || holder === null) return null;
      holder = new Map<string, unknown>(Object.entries(holder)).get(name);
    }
    return sources.get(holder) ?? null;
  } catch (error) {
    // Unlike the plain parse, one that visits each value recurses, and nesting of many thousands exhausts the stack.
    if (error instanceof RangeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
