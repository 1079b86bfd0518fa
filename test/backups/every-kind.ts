import { randomBytes, randomUUID } from 'node:crypto';
import { fillEvents, type StoredFields } from '../events/fill-events.ts';
import type { TestGateway } from '../support/gateway.ts';
import { secretText, secretWhsec } from '../support/secrets.ts';

const bodies = [
  Buffer.alloc(0),
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  Buffer.from('\\x41\\.\n\\.\n\\N\t\r\b'),
  Buffer.from('{"text":"Zażółć gęślą jaźń 🎉"}'),
  randomBytes(1024 * 1024),
];
const headers = ['[]', '[["a", "b\\\\c\\n"],\n  ["ü" ,"\\u0000x"]]', '{"a":1,"a":2}'];

/** Inserts at least one row into every table, with values that are difficult for a text format. */
export async function fillEveryKind(gateway: TestGateway): Promise<void> {
  const { database, admin } = gateway;
  const account = await admin.createAccount({
    delivery_url: 'http://127.0.0.1:9/nobody',
    delivery_secret: secretWhsec('every-kind'),
  });
  const { body: deleted } = await admin.post('/admin/accounts', {
    ...{
      provider: 'generic',
      account_slug: 'gone',
      app_key: "it's \\gone\t",
      signing_secret_current: secretText('gone-secret'),
    },
  });
  await admin.request('DELETE', `/admin/accounts/${deleted.id}`);
  await admin.post(`/admin/accounts/${account.id}/destinations`, {
    ...{ destination_type: 'webhook', name: 'tab\tand\nline', config: { url: 'http://127.0.0.1:9/told' } },
  });
  await admin.post(`/admin/accounts/${account.id}/consumers`, {
    ...{ name: 'every', url: 'http://user:password@127.0.0.1:9/every', secret: secretText('every-consumer') },
    ...{ enabled: false, condition: 'payload["\\t"] == "tab\\tand \\"quotes\\""' },
    authentication: {
      ...{ type: 'oauth2', token_url: 'https://login.test/token', client_id: 'every' },
      client_secret: secretText('every-client'),
    },
  });
  const ids = await fillEvents(database, events(account.id));
  const run = (text: string, values: unknown[] = []) => database.pool.query(text, values);
  for (const [n, id] of ids.entries()) {
    const truncated = n % 2 ? [1_000_000 + n, randomBytes(32), n % 4 === 1] : [null, null, null];
    await run(
      `insert into event_payloads (event_id, headers, content_type, body, payload_bytes, payload_sha256, headers_truncated)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        ...[id, headers[n % headers.length], n % 2 ? null : 'text/plain; x="\\"', bodies[n % bodies.length]],
        ...truncated,
      ],
    );
    await run(
      `insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body, error, url)
       values ($1, 0, 'schedule', 1, now() - interval '1 day', $2, 'http_error', 500, $3, null, '')`,
      [id, Math.PI * 10 ** (n - 5), `\\N\n\\.\n${n}`],
    );
    await run(
      `insert into notifications (event_id, generation, destination_id, account_id, destination_type, name, config, ordinal, failed_at, event_attempts, status, due_at)
       values ($1, 0, $2, $3, 'email', '', $4, 0, now(), 10, $5, null)`,
      [id, randomUUID(), account.id, randomBytes(40), ['pending', 'sent', 'failed', 'suppressed'][n % 4]],
    );
    await run(`insert into event_dedup values ($1, $2, 'infinity')`, [randomUUID(), id]);
  }
  const [first] = ids;
  const claim = [randomUUID(), new Date(Date.now() + 60_000)];
  await run('update event_queue set claim_token = $1, claimed_until = $2, direct = true where lane = 0', claim);
  await run(
    `insert into event_commands (event_id, kind, generation, claim_token, claimed_until) values ($1, 'ack', 0, $2, $3), ($1, 'retry', 0, null, null)`,
    [first, ...claim],
  );
  await run(`insert into gateway_settings values ('a setting', '\\x00ff5c')`);
  await run('insert into event_replays values ($1)', [first]);
  await run('insert into stopped_accounts values ($1)', [deleted.id]);
  await run(`insert into signing_secret_uses values ($1, 'current', 'a tag', 50000000000, now())`, [deleted.id]);
  await run('insert into rejection_counts values ($1, now(), 3)', [account.id]);
  await run('insert into rejection_days values (current_date, $1, 3, 50000000000)', [account.id]);
  await run('insert into notification_bursts values ($1, array[now(), now()], null)', [randomUUID()]);
  await run(
    `insert into notification_summaries (id, destination_id, account_id, destination_type, config, provider, account_slug, app_key, events,
       first_event_ids, first_received_at, last_received_at, first_failed_at, last_failed_at, status)
     values ($1, $1, $1, 'email', $2, 'generic', 'a', '{"x,y"}', 2, array[$1, $3]::uuid[], now(), now(), now(), now(), 'pending')`,
    [randomUUID(), randomBytes(20), first],
  );
  await run(
    `insert into incident_messages (id, incident_id, incident_kind, kind, reminder, destination_id, account_id, destination_type, name, config,
       place, provider, account_slug, app_key, consumer, cause, first_seen_at, last_seen_at, failures, happened_at, status)
     values ($1, $1, 'delivery', 'incident.opened', true, $1, $1, 'email', 'tab\t', $2, 'place', 'generic', 'a', '{"x,y"}', null,
       E'500 \\\\N\\t', now(), now(), 50000000000, now(), 'obsolete')`,
    [randomUUID(), randomBytes(20)],
  );
  await run(
    `insert into event_latencies select date_trunc('hour', now()), 1, 1 where not exists (select from event_latencies)`,
  );
  await run(`insert into event_latency_deltas values (date_trunc('hour', now()), 1, 1)`);
  await run(
    `insert into bulk_jobs (id, action, error, event_ids, state, reason, ordered_by, ordered_from, done, skipped, slice_ms, ended_at)
     values ($1, 'dead', '\\N', array[$1, $2]::uuid[], 'stopped', 'a\ttab', 'ann', '::1', 1, '{"not_found": 1}', 1, now())`,
    [randomUUID(), first],
  );
  await run(
    `insert into incidents (id, kind, state, account_id, consumer_id, cause, first_seen_at, last_seen_at, attempts, example_event_id,
       oldest_event_id, resolved_by, resolved_at, note)
     values ($1, 'delivery', 'resolved', $2, null, '500 a\\tab', now(), now(), 7, $3, $3, 'ann', now(), 'noted')`,
    [randomUUID(), account.id, first],
  );
  await run('insert into rejection_checks (rejected_event_id, event_id, made) values (gen_random_uuid(), $1, true)', [
    first,
  ]);
  await run(
    `insert into event_actions (event_id, generation, at, actor, action, reason) values ($1, 1, now(), 'ann', 'dead', 'a\ttab, \\N')`,
    [first],
  );
  await run(
    `insert into pauses (since, reason, paused_by) values (now(), null, null), (now() - interval '1 day', 'moves\n', 'ann') on conflict do nothing`,
  );
  await run(`insert into event_stats (hour, provider) values (timestamptz '2020-01-01 00:00+00', 'ge\\neric')`);
  await run(`insert into event_series (minutes, at, provider, received) values (60, now(), 'ge\\neric', 3)`);
  await run('insert into event_series_latencies values (1, now(), 20, 3)');
}

/** One event in each state, over several days. */
function events(accountId: string): StoredFields[] {
  const now = Date.now();
  const states = (['received', 'enqueued', 'processed', 'failed', 'dead'] as const).flatMap((status) =>
    (['pending', 'delivered', 'failed'] as const).map((deliveryStatus) => ({ status, deliveryStatus })),
  );
  return [...states, { status: 'rejected' as const, deliveryStatus: null }].map((state, n) => ({
    ...state,
    receivedAt: new Date(now - (n % 4) * 86_400_000 - n),
    ...{ accountId, provider: 'generic', accountSlug: 'every', appKey: 'kind', externalId: `e-${n}\t\\` },
    eventType: n % 3 ? `type\n${n}` : null,
    attempts: n % 10,
    deliveredAt: state.deliveryStatus === 'delivered' ? new Date(now) : null,
    nextAttemptAt: state.deliveryStatus === 'pending' && n % 2 ? new Date(now + 3_600_000) : null,
  }));
}
