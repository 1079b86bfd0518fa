import type { Keyring } from '../secrets/keyring.ts';
import { archiveName, isArchiveName } from './archive-name.ts';
import { type Manifest, parseManifestLine } from './manifest.ts';
import type { ManifestEnd } from './manifest-member.ts';
import { isSigned, readSignedLine } from './manifest-signature.ts';

/** What a file is known by before its content is read. */
export interface ArchiveFile {
  /** Without folders. */
  name: string;
  sizeBytes: number;
}

/** Whether the gateway that has the key made a file. `why` is half a sentence about it, for people. */
export type Judgement = { verified: true; manifest: Manifest } | { verified: false; why: string };

/**
 * Finds out from the end of a file alone whether it is a backup that a gateway with this key made. Its manifest is parsed only
 * when its signature holds.
 *
 * The content is not read: a file that is judged verified can still be damaged, and `verifyArchive` finds that out.
 *
 * @param end null: the file does not end with a manifest.
 * @param keyring null: there is no key to check with.
 */
export function judgeManifest(end: ManifestEnd | null, file: ArchiveFile, keyring: Keyring | null): Judgement {
  const unverified = (why: string): Judgement => ({ verified: false, why });
  if (end === null) return unverified('it does not end with a manifest: it is not whole, or no backup');
  const signed = readSignedLine(end.text);
  if (signed === null) return unverified('its manifest is not signed');
  if (keyring === null || keyring.find(signed.keyId) === null) return unverified(otherKey(signed.keyId, keyring));
  if (!isSigned(signed, keyring))
    return unverified('its signature is wrong: its manifest was made or changed without SECRETS_KEY');
  const manifest = parseManifestLine(signed.line);
  if (manifest === null || typeof manifest === 'string' || manifest.key_id !== signed.keyId)
    return unverified('its manifest is of a format that this version does not read');
  const name = nameOf(manifest);
  // Under another name it could stand for a later backup, or for a second one.
  if (isArchiveName(file.name) && file.name !== name)
    return unverified(`it was renamed: by its manifest it is ${name}`);
  if (manifest.bytes + end.memberBytes !== file.sizeBytes)
    return unverified('its content is longer or shorter than its manifest says');
  return { verified: true, manifest };
}

/** The one name under which this backup was stored. */
export const nameOf = ({ created_at, id, encrypted }: Pick<Manifest, 'created_at' | 'id' | 'encrypted'>) =>
  archiveName(new Date(created_at), id, encrypted);

/** Says which key a file needs, and which keys there are, by their ids. */
export function otherKey(keyId: string, keyring: Keyring | null): string {
  const needs = `it was made with the SECRETS_KEY whose id is ${keyId}`;
  if (keyring === null) return `${needs}, and SECRETS_KEY is not set`;
  const previous = keyring.previous
    ? `that of SECRETS_KEY_PREVIOUS is ${keyring.previous.id}`
    : 'SECRETS_KEY_PREVIOUS is not set';
  return `${needs}; the id of the SECRETS_KEY that is set is ${keyring.current.id}, and ${previous}`;
}
