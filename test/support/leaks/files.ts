import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { allKinds, type Kind, type Leak, leaksIn } from './markers.ts';
import { leaksInTemporal } from './temporal.ts';

/** Larger files are no output of gateways, whose largest files in tests are backups of some megabytes. */
const maxBytes = 256 * 1024 * 1024;

/**
 * Searches the files of gateways in a folder: backups (decompressed), the outbox, the logs of embedded servers and
 * Temporal's database.
 *
 * Left out: `postgres/data`, which contains payloads, and whose tables `database.ts` searches; and `secrets`, which contains
 * the secrets that a gateway generated.
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

/** Only backups may contain the payloads of events and the URLs of accounts. */
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

/** The names in a folder; none if it does not exist. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The content of a file; null if it does not exist. */
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
    // Tests damage archives. A damaged archive is searched as it is.
    return content;
  }
}
