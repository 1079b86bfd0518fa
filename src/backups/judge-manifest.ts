import type { Keyring } from '../secrets/keyring.ts';
import { archiveName, isArchiveName } from './archive-name.ts';
import { type Manifest, parseManifestLine } from './manifest.ts';
import type { ManifestEnd } from './manifest-member.ts';
import { isSigned, readSignedLine } from './manifest-signature.ts';

/** The properties of a file that are known before its content is read. */
export interface ArchiveFile {
  /** Without a path. */
  name: string;
  sizeBytes: number;
}

/** Whether a gateway with the key created a file. `why` is a clause for operators. */
export type Judgement = { verified: true; manifest: Manifest } | { verified: false; why: string };

/**
 * Checks from the end of a file whether a gateway with this key created it. The manifest is parsed only if its
 * signature is valid.
 *
 * The content is not read, so a verified file can still be damaged; `verifyArchive` detects that.
 *
 * @param end null when the file does not end with a manifest.
 * @param keyring null when there is no key.
 */
export function judgeManifest(end: ManifestEnd | null, file: ArchiveFile, keyring: Keyring | null): Judgement {
  const unverified = (why: string): Judgement => ({ verified: false, why });
  if (end === null) return unverified('it does not end with a manifest: it is incomplete, or not a backup');
  const signed = readSignedLine(end.text);
  if (signed === null) return unverified('its manifest is not signed');
  if (keyring === null || keyring.find(signed.keyId) === null) return unverified(otherKey(signed.keyId, keyring));
  if (!isSigned(signed, keyring))
    return unverified('its signature is wrong: its manifest was made or changed without SECRETS_KEY');
  const manifest = parseManifestLine(signed.line);
  if (manifest === null || typeof manifest === 'string' || manifest.key_id !== signed.keyId)
    return unverified('its manifest is of a format that this version does not read');
  const name = nameOf(manifest);
  // Under another name, it could pass for a later backup or for an additional one.
  if (isArchiveName(file.name) && file.name !== name)
    return unverified(`it was renamed: by its manifest it is ${name}`);
  if (manifest.bytes + end.memberBytes !== file.sizeBytes)
    return unverified('its content is longer or shorter than its manifest says');
  return { verified: true, manifest };
}

/** The name under which this backup was stored. */
export const nameOf = ({ created_at, id, encrypted }: Pick<Manifest, 'created_at' | 'id' | 'encrypted'>) =>
  archiveName(new Date(created_at), id, encrypted);

/** Names the key that a file needs and the keys that are set, by their ids. */
export function otherKey(keyId: string, keyring: Keyring | null): string {
  const needs = `it was made with the SECRETS_KEY whose id is ${keyId}`;
  if (keyring === null) return `${needs}, and SECRETS_KEY is not set`;
  const previous = keyring.previous
    ? `that of SECRETS_KEY_PREVIOUS is ${keyring.previous.id}`
    : 'SECRETS_KEY_PREVIOUS is not set';
  return `${needs}; the id of the SECRETS_KEY that is set is ${keyring.current.id}, and ${previous}`;
}
