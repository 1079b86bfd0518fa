/**
 * An error that prevents the start. `message` is a complete sentence for the user at the terminal, with the problem and
 * the remedy. `main.ts` prints it without a stack trace and exits with code 1.
 */
export class StartError extends Error {
  override name = 'StartError';
}

/** Why a program of `npm start` did not start, as text for the terminal. */
export class ProgramError extends Error {
  override name = 'ProgramError';
}
