import type { Keyring } from '../secrets/keyring.ts';
import type { BackupStore, StoredFile } from './backup-store.ts';
import { judgeManifest } from './judge-manifest.ts';
import type { Manifest } from './manifest.ts';
import { readManifestEnd } from './manifest-member.ts';

/** A file with a manifest that a gateway with the key signed. */
export interface VerifiedFile extends StoredFile {
  manifest: Manifest;
}

/** A file that has the name of a backup and does not prove that it is one. `why` is half a sentence for people. */
export interface UnverifiedFile extends StoredFile {
  why: string;
}

/** What a place holds: genuine backups by the time of their manifests, newest first, and other files by their names. */
export interface Catalogue {
  verified: VerifiedFile[];
  unverified: UnverifiedFile[];
  /** How many unknown files were not looked at, since there are so many. */
  unexamined: number;
}

/** Unknown files are there after a restore: BACKUP_KEEP at most. More than that many is a flood. */
const maxUnknown = 1_000;
/** Each waits for a disk or a server, and holds at most some 2 MiB. */
const atOnce = 4;

/**
 * Judges every file of a place by its signed manifest, without reading the content. Files that cannot be read are left out.
 *
 * Its time and memory are bounded whatever others put there: at most `maxFiles` names, the ends of known files and of 1,000
 * others, about 1 MiB of each.
 *
 * @param known names of backups that are listed already, which a flood of other files cannot crowd out
 * @throws BackupError when the place cannot be listed, or holds more than `maxFiles`.
 */
export async function readCatalogue(
  store: BackupStore,
  keyring: Keyring,
  known: ReadonlySet<string> = new Set(),
): Promise<Catalogue> {
  const files = (await store.files()).sort((a, b) => b.name.localeCompare(a.name));
  const unknown = files.filter(({ name }) => !known.has(name));
  const examined = new Set(unknown.slice(0, maxUnknown));
  const catalogue: Catalogue = { verified: [], unverified: [], unexamined: unknown.length - examined.size };
  const waiting = files.filter((file) => known.has(file.name) || examined.has(file)).values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const file of waiting) await examine(file);
    }),
  );
  // ISO times in UTC sort as text.
  catalogue.verified.sort((a, b) => b.manifest.created_at.localeCompare(a.manifest.created_at));
  catalogue.unverified.sort((a, b) => b.name.localeCompare(a.name));
  return catalogue;

  async function examine(file: StoredFile): Promise<void> {
    let isReadable = true;
    const end = await readManifestEnd(file.sizeBytes, async (start) => {
      const bytes = await store.readEnd(file, start);
      isReadable &&= bytes !== null;
      return bytes ?? Buffer.alloc(0);
    });
    if (!isReadable) return;
    const judged = judgeManifest(end, file, keyring);
    if (judged.verified) catalogue.verified.push({ ...file, manifest: judged.manifest });
    else catalogue.unverified.push({ ...file, why: judged.why });
  }
}
