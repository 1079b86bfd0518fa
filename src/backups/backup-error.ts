/** A backup or a restore cannot be made, told to people: `message` is a whole sentence that says what is wrong. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** What went wrong, in one line, for a sentence of ours. Node has no message for a name with several addresses. */
export function said(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return (error.message || code || error.name).replaceAll(/\s*\n\s*/g, ' ');
}
