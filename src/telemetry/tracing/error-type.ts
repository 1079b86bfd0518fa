/**
 * The kind of an error, for the attribute `error.type`: its code (of a problem, of PostgreSQL, of the system, of gRPC), else
 * its name. Never its message, which may hold data.
 */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : error.name;
}
