/** Reads an option of a command. */
export function wholeNumber(name: string, value: string, least = 1): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isSafeInteger(number) || number < least)
    throw new Error(`${name} must be a whole number from ${least}, not '${value}'`);
  return number;
}
