import { StartError } from '../shared/start-error.ts';

/** Converts a file system error in the data folder to a StartError with advice; returns other errors unchanged. */
export function explainFileError(folder: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error;
  return new StartError(
    `The data folder ${folder} cannot be used (${error.message}). It may belong to another user, or the disk is full. ` +
      `Start the gateway as the user it ran as before, or set DATA_DIR to a folder that this user may write to.`,
  );
}

/** Runs `work` on the data folder, with its file system errors explained. */
export function explained<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explainFileError(folder, error);
  }
}
