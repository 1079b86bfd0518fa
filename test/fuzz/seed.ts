/** Creates resources and returns several values for each path parameter. */
export async function seed(baseUrl: string, token: string): Promise<Record<string, string[]>> {
  const headers = { 'content-type': 'application/json', 'x-admin-token': token };
  const post = async (path: string, body: unknown): Promise<{ id: string }> => {
    const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const made: { id: string } = JSON.parse(await response.text());
    return made;
  };
  const slugs = ['fuzz-a', 'fuzz-b', 'fuzz-c'];
  const ids = { account_id: [] as string[], destination_id: [] as string[], event_id: [] as string[] };
  const names = ['default', 'billing', 'audit'];
  for (const account_slug of slugs) {
    const account = await post('/admin/accounts', {
      provider: 'generic',
      account_slug,
      app_key: 'fuzz',
      skip_signature_verification: true,
      delivery_url: `${baseUrl}/health/live`,
    });
    ids.account_id.push(account.id);
    for (const name of names.slice(1))
      await post(`/admin/accounts/${account.id}/consumers`, { name, url: `${baseUrl}/health/live`, enabled: false });
    for (const [destination_type, config] of Object.entries({
      webhook: { url: 'https://example.com/', secret: 'a secret' },
      email: { addresses: ['a@example.com'] },
      chat_one: { webhook_url: 'https://example.com/one' },
    })) {
      const path = `/admin/accounts/${account.id}/destinations`;
      ids.destination_id.push((await post(path, { destination_type, name: destination_type, config })).id);
    }
    for (const number of [1, 2, 3, 4]) {
      const event = await post(`/generic/${account_slug}`, { id: `${account_slug}-${number}`, type: 'fuzz' });
      ids.event_id.push(event.id);
    }
  }
  const job = await post('/admin/events/bulk', { action: 'ack', ids: ids.event_id.slice(0, 1) });
  return {
    ...ids,
    consumer: names,
    incident_id: ['01900000-0000-7000-8000-000000000009'],
    rejected_id: ['01900000-0000-7000-8000-000000000010'],
    job_id: [job.id],
    slug: slugs,
    provider: ['generic'],
    name: ['retention', 'sweep', 'audit-purge', 'backup'],
  };
}
