/**
 * An ISO time as the value of a `datetime-local` field, in the reader's zone; empty if it is not a time.
 *
 * @param length of the value: 16 up to minutes, 19 up to seconds.
 */
export function toLocalInput(iso: string | undefined, length: 16 | 19): string {
  const at = new Date(iso ?? '');
  if (Number.isNaN(at.getTime())) return '';
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, length);
}

/** The ISO time of a `datetime-local` field, or undefined when it is empty. */
export const fromLocalInput = (value: string): string | undefined =>
  value === '' ? undefined : new Date(value).toISOString();
