/**
 * Reads the arguments of a command of the repository. Wrong ones end the process with the reason and the usage.
 *
 * @param wrongUsage the exit code then
 */
export function commandOf<T>(read: (args: readonly string[]) => T, usage: string, wrongUsage: 1 | 2): T {
  try {
    return read(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(wrongUsage);
  }
}
