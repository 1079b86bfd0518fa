/** An error that the user of the demo can correct. The message says how. */
export class DemoError extends Error {
  override name = 'DemoError';
}
