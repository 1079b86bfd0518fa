import { randomBytes } from 'node:crypto';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sharedServers } from '../support/gateway-all.ts';
import { until } from '../support/until.ts';
import type { Shell } from './shell.ts';
import { checkout, ownData, type Stage, shellIn } from './stage.ts';

/** The variables of processes that run against servers of one's own, as README's checklist says. */
const serversOfOnesOwn = async () => ({
  ...(await sharedServers()),
  SECRETS_KEY: randomBytes(32).toString('base64'),
  METRICS_PORT: '0',
});

/** Pages whose commands start a gateway on the data folder of the checkout. The others use the gateway of the stage. */
const ownDataFolders = ['docs/changing-secrets-key.md', 'docs/tracing.md'];
/** Pages about processes of single roles. */
const singleRoles = ['docs/changing-a-workflow.md', 'docs/task-queues.md', 'docs/upgrades.md'];
/** Pages that say where the token is. On the others the reader knows it. */
const firstSteps = ['README.md', 'docs/quick-start.md'];

/** A bash for the commands of a page, in a checkout as the page expects it. */
export async function shellFor(page: string, stage: Stage): Promise<{ shell: Shell; folder: string }> {
  const folder = checkout();
  if (page === 'docs/alerts.md') cpSync(join(folder, 'deploy/prometheus/rules.yml'), join(folder, 'rules.yml'));
  if (ownDataFolders.includes(page)) {
    await ownData(folder);
    return { shell: shellIn(folder, { PORT: '0' }), folder };
  }
  if (singleRoles.includes(page)) return { shell: shellIn(folder, await serversOfOnesOwn()), folder };
  symlinkSync(stage.dataDir, join(folder, '.data'));
  const token: Record<string, string> = firstSteps.includes(page) ? {} : { ADMIN_TOKEN: stage.adminToken };
  // The demo finds its gateway at PORT, and a gateway that the page starts takes any port.
  const port = page === 'docs/quick-start.md' ? new URL(stage.baseUrl).port : '0';
  return { shell: shellIn(folder, { PORT: port, ...token }), folder };
}

/** Makes an account with a delivered event and a destination, whose ids the page takes from earlier answers. */
export async function prepareIds(shell: Shell, { admin, baseUrl, consumer }: Stage): Promise<void> {
  const account = await admin.createAccount({ app_key: 'first-steps', delivery_url: consumer.url });
  const body = '{"id":"prepared-1","type":"greeting"}';
  const headers = { 'content-type': 'application/json' };
  const sent = await fetch(`${baseUrl}/generic/${account.account_slug}`, { method: 'POST', headers, body });
  const { id } = (await sent.json()) as { id: string };
  await admin.eventually(id, (event) => event.delivery_status === 'delivered');
  const destination = await admin.post(`/admin/accounts/${account.id}/destinations`, {
    ...{ destination_type: 'email', name: 'prepared', config: { addresses: ['oncall@example.com'] } },
  });
  shell.set('ACCOUNT_ID', account.id);
  shell.set('EVENT_ID', id);
  shell.set('DESTINATION_ID', destination.body.id);
}

/** Makes an account whose consumer fails, until it has an incident. */
export async function prepareIncident(shell: Shell, { admin, baseUrl, consumer }: Stage): Promise<void> {
  // The stage's consumer speaks no TLS.
  const account = await admin.createAccount({ delivery_url: consumer.url.replace('http:', 'https:') });
  const headers = { 'content-type': 'application/json' };
  for (const n of [1, 2, 3, 4, 5])
    await fetch(`${baseUrl}/generic/${account.account_slug}`, {
      method: 'POST',
      headers,
      body: `{"id":"failing-${n}"}`,
    });
  const incident = await until('the account has an incident', async () => {
    const { body } = await admin.request('GET', `/admin/incidents?account_id=${account.id}`);
    return body[0];
  });
  shell.set('INCIDENT_ID', incident.id);
}

/** Which variable of the pages is the `id` of which answer. */
const learned: [RegExp, string][] = [
  [/-X POST \S+\/admin\/accounts /, 'ACCOUNT_ID'],
  [/-X POST \S+\/destinations /, 'DESTINATION_ID'],
  [/-X POST \S+\/generic\/\w+ /, 'EVENT_ID'],
  [/-X POST \S+\/admin\/events\/bulk /, 'JOB_ID'],
];

/** Sets the variables that a reader takes from the answer of this command. */
export function learnIds(shell: Shell, command: string, stdout: string): void {
  for (const [pattern, name] of learned) {
    if (!pattern.test(command)) continue;
    const { id } = JSON.parse(stdout) as { id?: string };
    if (id !== undefined) shell.set(name, id);
  }
}

/** Removes what a page has made in the gateway of the stage, because other pages use the same names. */
export async function tidyUp({ admin }: Stage): Promise<void> {
  const { body: accounts } = await admin.request('GET', '/admin/accounts');
  for (const { id } of accounts) await admin.request('DELETE', `/admin/accounts/${id}`);
  await admin.post('/admin/delivery/resume');
}
