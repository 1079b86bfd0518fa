/** Asserts that a value is set, such as a required setting, which `readConfig` has already checked. */
export function needed<T>(value: T | null): T {
  if (value === null) throw new Error('a value that this role requires is missing');
  return value;
}
