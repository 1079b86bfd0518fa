/** What is wrong with a field, or with each of its parts: `x-a: must be …` for the path `headers.x-a`. */
export function errorUnder(errors: ReadonlyMap<string, string>, field: string): string | undefined {
  const own = errors.get(field);
  if (own !== undefined) return own;
  const parts = [...errors].flatMap(([path, message]) => {
    if (!path.startsWith(`${field}.`)) return [];
    const part = path.slice(field.length + 1);
    return /^\d+$/.test(part) ? `entry ${Number(part) + 1}: ${message}` : `${part}: ${message}`;
  });
  return parts.length === 0 ? undefined : parts.join('; ');
}
