/**
 * Who makes first attempts, and the value of `apiDelivers` for it. For what holds with both:
 * `describe.each(firstAttemptsBy)('first attempts by %s', (_, apiDelivers) => …)`.
 */
export const firstAttemptsBy = [
  ['the api', true],
  ['workflows', false],
] as const;
