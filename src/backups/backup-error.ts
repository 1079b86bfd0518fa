/** A failure of a backup or a restore, for operators. `message` is a complete sentence with the reason. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** The reason of an error on one line. Node's error for a host with several addresses has a code but no message. */
export function said(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return (error.message || code || error.name).replaceAll(/\s*\n\s*/g, ' ');
}
