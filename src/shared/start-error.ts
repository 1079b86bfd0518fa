/**
 * An error that prevents the start. `message` is a complete sentence for the user at the terminal, with the problem and
 * the remedy. `main.ts` prints it without a stack trace and exits with code 1.
 */
export class StartError extends Error {
  override name = 'StartError';
}

/** An error that a program of `npm start` has printed itself, so that nothing is left to say. */
export class ToldError extends Error {
  override name = 'ToldError';
}
