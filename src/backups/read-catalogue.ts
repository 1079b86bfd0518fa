import pLimit from 'p-limit';
import type { Keyring } from '../secrets/keyring.ts';
import type { BackupStore, StoredFile } from './backup-store.ts';
import { judgeManifest } from './judge-manifest.ts';
import type { Manifest } from './manifest.ts';
import { readManifestEnd } from './manifest-member.ts';

/** A file whose manifest was signed with a key of the keyring. */
export interface VerifiedFile extends StoredFile {
  manifest: Manifest;
}

/** A file with the name of a backup but without a valid signature. `why` is a clause for operators. */
export interface UnverifiedFile extends StoredFile {
  why: string;
}

/**
 * The files of a place: genuine backups by the time of their manifests, newest first, and other files by their names.
 */
export interface Catalogue {
  verified: VerifiedFile[];
  unverified: UnverifiedFile[];
  /** The number of unknown files beyond the limit, which were not read. */
  unexamined: number;
}

/** After a restore there are at most BACKUP_KEEP unknown files. More are ignored, to bound the work. */
const maxUnknown = 1_000;
/** Files read concurrently. Each waits for a disk or a server and takes at most about 2 MiB of memory. */
const atOnce = 4;

/**
 * Checks the signed manifest of every file of a place, without reading the content. Unreadable files are skipped.
 *
 * Time and memory are bounded, even if others write many files there: it reads at most `maxFiles` names, and about 1
 * MiB of each known file and of 1,000 others.
 *
 * @param known the names of backups that are already listed; they are always read, however many other files there are
 * @throws BackupError when the place cannot be listed, or has more than `maxFiles` files.
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
  const wanted = files.filter((file) => known.has(file.name) || examined.has(file));
  await pLimit(atOnce).map(wanted, examine);
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
