import { z } from 'zod';
import type { Sql } from '../database/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { createSecretBox, type SecretPlace } from '../secrets/secret-box.ts';
import { type ChainPoint, createSeals, type RetiredKey, type Seals } from './seals.ts';
import { createSigner } from './signer.ts';

const readKeys = {
  name: 'read_audit_keys',
  text: 'select id, retired_audit from secrets_keys',
};

const content = z.object({ key: z.base64(), seq: z.number().int().nonnegative(), seal: z.hex() });

/** The place that a retired key's box is bound to. It names the key, so that boxes cannot be exchanged between rows. */
export const retiredPlace = (id: string): SecretPlace => ({ accountId: 'gateway', field: `retired_audit_key.${id}` });

/** The content of a retired key's box: only its audit key, from which none of its other keys can be derived. */
export function retiredText(auditKey: Uint8Array, { seq, seal }: ChainPoint): string {
  const kept: z.infer<typeof content> = {
    ...{ key: Buffer.from(auditKey).toString('base64'), seq },
    seal: seal.toString('hex'),
  };
  return JSON.stringify(kept);
}

/**
 * The seals for all entries of the log, including those of retired keys. Retired keys are stored in boxes that only the
 * holder of SECRETS_KEY can create, so write access to the database is not enough to add one. A box that cannot be
 * decrypted counts as absent; its entries then fail verification.
 */
export async function readSeals(sql: Sql, keyring: Keyring): Promise<Seals> {
  const rows = await sql.query<{ id: string; retired_audit: Buffer | null }>(readKeys, []);
  const box = createSecretBox(keyring);
  const retired = rows.flatMap(({ id, retired_audit: sealed }): RetiredKey[] => {
    const text = sealed && box.open(sealed, retiredPlace(id));
    if (text === null) return [];
    const { key, seq, seal } = content.parse(JSON.parse(text));
    return [{ id, signer: createSigner(Buffer.from(key, 'base64')), end: { seq, seal: Buffer.from(seal, 'hex') } }];
  });
  const registered = rows.filter((row) => row.retired_audit === null).map(({ id }) => id);
  return createSeals(keyring, retired, registered);
}
