import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, stateFolder } from '../environment.ts';
import { replaceFile } from '../replace-file.ts';
import type { FeedFilter, Place } from './feed-page.ts';

/** How far the events of a session were handled. */
export interface Progress extends Place {
  /** Ids of events after the place that were handled, too: a session has ended within a page. */
  handled: string[];
}

/** The file with the progress of a command for one gateway and one choice of events, in the user's folder for states. */
export function cursorFile(
  env: Environment,
  baseUrl: string,
  command: string,
  { accounts, eventTypes, consumer }: FeedFilter,
): string {
  const filter = [command, baseUrl, [...accounts].sort(), [...eventTypes].sort(), consumer];
  const name = createHash('sha256').update(JSON.stringify(filter)).digest('hex').slice(0, 32);
  return join(stateFolder(env), 'cursors', `${name}.json`);
}

/** Null if there is none, or a damaged one. */
export function readProgress(file: string): Progress | null {
  try {
    const read: Partial<Progress> = JSON.parse(readFileSync(file, 'utf8'));
    return typeof (read.cursor ?? read.since) === 'string' && Array.isArray(read.handled) ? (read as Progress) : null;
  } catch {
    return null;
  }
}

export const writeProgress = (file: string, progress: Progress): void => replaceFile(file, JSON.stringify(progress));
