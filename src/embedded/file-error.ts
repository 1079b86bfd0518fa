import { StartError } from '../shared/start-error.ts';

/** What the file system refuses below the data folder (no permission, no space, a file in the way), as a sentence; other errors as they are. */
export function explainFileError(folder: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error;
  return new StartError(
    `The data folder ${folder} cannot be used (${error.message}). It may belong to another user, or the disk is full. ` +
      `Start the gateway as the user it ran as before, or set DATA_DIR to a folder that this user may write to.`,
  );
}
