/**
 * Data of a wrong form has reached a workflow: its input, or the result of an activity. It fails the run and not only its
 * task, so that the sweep starts another run from the event's row. Errors that are not of this class, non-determinism
 * above all, fail the task: a bad release must not end every delivery.
 */
export class InvalidDataError extends Error {
  override name = 'InvalidDataError';
}

/** The error for the default branch of a `switch` over all known kinds. Another release may have sent another one. */
export const unknownKind = (what: string, _kind: never) => new InvalidDataError(`${what} is of an unknown kind`);
