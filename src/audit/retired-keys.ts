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

/** Where the box of a retired key lives: it names the key, so that no other key's box fits in its row. */
export const retiredPlace = (id: string): SecretPlace => ({ accountId: 'gateway', field: `retired_audit_key.${id}` });

/** What a retired key leaves behind, as the text of its box. Nothing else that it was for can be derived from it. */
export function retiredText(auditKey: Uint8Array, { seq, seal }: ChainPoint): string {
  const kept: z.infer<typeof content> = {
    ...{ key: Buffer.from(auditKey).toString('base64'), seq },
    seal: seal.toString('hex'),
  };
  return JSON.stringify(kept);
}

/**
 * The seals for everything that the log holds. Whoever can write to the database cannot add a retired key: each is in a box
 * that only the holder of SECRETS_KEY can make. A box that does not open counts as absent; its entries then do not verify.
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
