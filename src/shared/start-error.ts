/**
 * A start that cannot go on, told to the person at the terminal: `message` is a whole sentence that says what is wrong
 * and what to do. `main.ts` prints it without a stack trace and exits with code 1.
 */
export class StartError extends Error {
  override name = 'StartError';
}
