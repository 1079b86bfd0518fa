/** How a command ends (docs/cli.md#exit-codes). */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  notFound: 3,
  refused: 4,
  differs: 5,
  /** Ended by Ctrl-C: 128 plus the number of SIGINT, as shells report it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * An error that ends a command: what happened, and what to do next. Must not contain a secret. `next` is not optional, so that
 * the compiler finds an error without one.
 */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: ExitCode;
  readonly next: string;

  constructor(exitCode: ExitCode, message: string, next: string) {
    super(message);
    this.exitCode = exitCode;
    this.next = next;
  }
}

/** A command that was called wrongly. */
export const usageError = (message: string, next: string) => new CliError(exitCodes.wrongUsage, message, next);
