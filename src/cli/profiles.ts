import { readFileSync } from 'node:fs';
import { type Environment, profilesFile } from './environment.ts';
import { CliError, exitCodes } from './exit.ts';
import { replaceFile } from './replace-file.ts';

/** Address and token of a gateway, as `login` keeps them. */
export interface Profile {
  url: string;
  token: string;
}

type Profiles = Record<string, Profile>;

export const defaultProfile = 'default';

const isProfile = (value: unknown): value is Profile =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Profile>).url === 'string' &&
  typeof (value as Partial<Profile>).token === 'string';

/** @throws CliError if the file is damaged */
function readProfiles(env: Environment): Profiles {
  const file = profilesFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CliError(
      exitCodes.failed,
      `${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`,
      'Only its owner can read it: run the command as that user, or set XDG_CONFIG_HOME.',
    );
  }
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null && Object.values(read).every(isProfile)) return { ...read };
  } catch {
    // The message of the parser would show a part of the file.
  }
  throw new CliError(exitCodes.failed, `${file} is damaged`, `Remove it, and run \`webhook-gateway login\` again.`);
}

/**
 * The named profile, or the default one, which may be missing.
 *
 * @throws CliError if a named one is missing
 */
export function readProfile(env: Environment, name?: string): Profile | null {
  const profiles = readProfiles(env);
  const found = Object.hasOwn(profiles, name ?? defaultProfile) ? profiles[name ?? defaultProfile] : undefined;
  if (found) return found;
  if (name === undefined) return null;
  const others = Object.keys(profiles).join(', ');
  throw new CliError(
    exitCodes.wrongUsage,
    `there is no profile ${name}${others ? `; there are: ${others}` : ''}`,
    `Run \`webhook-gateway login --profile ${name}\`.`,
  );
}

/** Adds or replaces a profile, and returns the path of the file. @throws CliError if it cannot be written */
export function saveProfile(env: Environment, name: string, profile: Profile): string {
  return writeProfiles(env, { ...readProfiles(env), [name]: profile });
}

/** Removes a profile. False if there was none. */
export function removeProfile(env: Environment, name: string): boolean {
  const { [name]: removed, ...others } = readProfiles(env);
  if (removed === undefined) return false;
  writeProfiles(env, others);
  return true;
}

function writeProfiles(env: Environment, profiles: Profiles): string {
  const file = profilesFile(env);
  try {
    replaceFile(file, `${JSON.stringify(profiles, null, 2)}\n`);
  } catch (error) {
    throw new CliError(
      exitCodes.failed,
      `${file} cannot be written: ${(error as NodeJS.ErrnoException).code}`,
      'Set XDG_CONFIG_HOME to a folder that you can write, or use GATEWAY_URL and GATEWAY_TOKEN in place of a profile.',
    );
  }
  return file;
}
