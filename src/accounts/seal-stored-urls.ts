import type { Sql } from '../database/sql.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { credentialFields, urlFields } from './account-urls.ts';
import { partUrl } from './url-credentials.ts';

const fields = urlFields.map((field) => ({
  credentialField: credentialFields[field],
  // An `@` may also stand in a path or query: the URL parser decides.
  read: { name: `read_clear_${field}`, text: `select id, ${field} as url from accounts where ${field} like '%@%'` },
  // Another process may seal the same URL, or an operator change it, at the same time.
  write: {
    name: `seal_clear_${field}`,
    text: `update accounts set ${field} = $3, ${credentialFields[field]} = $4 where id = $1 and ${field} = $2`,
  },
}));

/**
 * Seals the user and password of URLs that a gateway of an older version stored in the clear, or that came with a backup
 * of one. A migration cannot do this, because it has no key; so each start does.
 *
 * @throws what the database throws.
 */
export async function sealStoredUrls(sql: Sql, box: SecretBox): Promise<void> {
  for (const { credentialField, read, write } of fields) {
    for (const { id, url: stored } of await sql.query<{ id: string; url: string }>(read, [])) {
      const { url, credentials } = partUrl(stored);
      if (credentials === null) continue;
      const sealed = Buffer.from(box.seal(credentials, { accountId: id, field: credentialField }));
      await sql.query(write, [id, stored, url, sealed]);
    }
  }
}
