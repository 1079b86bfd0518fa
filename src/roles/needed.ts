/** A setting that `readConfig` has refused to be without for this role. */
export function needed<T>(value: T | null): T {
  if (value === null) throw new Error('a setting that this role needs is missing');
  return value;
}
