/** What is wrong with a field, or with a part of it: `x-a: must be …` for the path `headers.x-a`. */
export function errorUnder(errors: ReadonlyMap<string, string>, field: string): string | undefined {
  const own = errors.get(field);
  if (own !== undefined) return own;
  for (const [path, message] of errors) {
    if (!path.startsWith(`${field}.`)) continue;
    const part = path.slice(field.length + 1);
    return /^\d+$/.test(part) ? `entry ${Number(part) + 1}: ${message}` : `${part}: ${message}`;
  }
  return undefined;
}
