/**
 * Whether work ends within a limit. It goes on after the limit; an error of it is then not reported.
 *
 * @throws the error with which the work ends before the limit.
 */
export async function settlesWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), limitMs);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
