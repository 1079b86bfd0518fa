/** What an earlier step has made sure of: a setting that `readConfig` would have refused to be without, say. */
export function needed<T>(value: T | null): T {
  if (value === null) throw new Error('something that this role needs is missing');
  return value;
}
