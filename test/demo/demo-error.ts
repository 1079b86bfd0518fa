/** Something that whoever runs the demo can put right; the message says what and how. */
export class DemoError extends Error {
  override name = 'DemoError';
}
