import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { allKinds, type Kind, type Leak, leaksIn } from './markers.ts';
import { leaksInTemporal } from './temporal.ts';

/** Larger files are no output: the largest that a gateway of the tests writes are backups of some megabytes. */
const maxBytes = 256 * 1024 * 1024;

/**
 * Looks through what gateways have written to a folder: backups (decompressed), the outbox, the logs of embedded servers
 * and Temporal's database.
 *
 * Left out, one by one: `postgres/data` (payloads are stored there, and the pages of secrets that are encrypted at rest are
 * looked through by `database.ts` as rows), `secrets` (where a gateway keeps what it made up itself).
 */
export function leaksInFolder(folder: string): Leak[] {
  return filesIn(folder).flatMap((path) => {
    const name = relative(folder, path);
    const content = contentOf(path);
    if (content === null) return [];
    if (name.endsWith('temporal.db')) return leaksInTemporal(path);
    return leaksIn(`the file ${name}`, content, kindsOf(name));
  });
}

/** A backup holds the payloads of the events and the URLs of the accounts; nothing else does. */
const kindsOf = (name: string): readonly Kind[] => (name.endsWith('.gz') ? ['secret'] : allKinds);

function filesIn(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return isLeftOut(path) ? [] : filesIn(path);
    return stats?.isFile() && stats.size <= maxBytes ? [path] : [];
  });
}

const isLeftOut = (path: string) => /\/postgres\/(data|new-[^/]*)$|\/secrets$/.test(path);

/** None where there is no such folder (any more). */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Null when the file is gone. */
function contentOf(path: string): Buffer | null {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch {
    return null;
  }
  if (!path.endsWith('.gz')) return content;
  try {
    return gunzipSync(content);
  } catch {
    // Tests damage archives; what is left of one is looked at as it is.
    return content;
  }
}
