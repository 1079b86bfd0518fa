import type { Target } from './message.ts';

/** A request that is not legal, or not complete. */
export interface IllegalCase {
  name: string;
  /** The request, a byte for each character. What the gateway could take for its body contains `body`. */
  send(target: Target, body: string): string;
  /** Whether the fault is in the body, so that a target that does not read it may answer before. */
  inBody?: boolean;
}

/** A case of one request. */
export const own = (name: string, send: IllegalCase['send']): IllegalCase => ({ name, send });
