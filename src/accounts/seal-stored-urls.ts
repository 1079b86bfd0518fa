import type { Sql } from '../database/sql.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { credentialFields, urlFields } from './account-urls.ts';
import { partUrl } from './url-credentials.ts';

const fields = urlFields.map((field) => ({
  credentialField: credentialFields[field],
  // An `@` may also be in a path or query; the URL parser decides.
  read: { name: `read_clear_${field}`, text: `select id, ${field} as url from accounts where ${field} like '%@%'` },
  // Compares the old URL, because another process may encrypt it or an operator may change it at the same time.
  write: {
    name: `seal_clear_${field}`,
    text: `update accounts set ${field} = $3, ${credentialFields[field]} = $4 where id = $1 and ${field} = $2`,
  },
}));

/**
 * Encrypts the credentials in URLs that an older version of the gateway stored unencrypted, or that came from its
 * backup. Migrations have no key, so this runs at every start.
 *
 * @throws the database's error.
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
