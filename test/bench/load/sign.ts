import { messageFor, sampleOf } from '../../support/providers/webhook.ts';
import type { Sign } from './webhooks.ts';

/** Sets a new secret of the provider's kind for the account, and signs with it. */
export async function signAs(
  provider: string,
  account: { url: string; adminUrl: string; adminToken: string },
): Promise<Sign> {
  const sample = sampleOf(provider);
  const key = sample.newKey();
  const response = await fetch(account.adminUrl, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-admin-token': account.adminToken },
    body: JSON.stringify({ signing_secret_current: key.secret }),
  });
  if (!response.ok) throw new Error(`no secret: ${await response.text()}`);
  return async (id) => {
    const { headers, query, body } = await messageFor(sample, key, { id, url: account.url });
    return { headers: headers.flat(), query, body };
  };
}
