import { call } from './api.js';
import { details, make, prose, textBox } from './dom.js';
import { show, showProblem, tell, tellNothing } from './screen.js';

/**
 * @typedef {import('zod').infer<typeof import('../../providers/provider-schemas.ts').provider>} Provider
 * @typedef {{type?: unknown, enum?: unknown[], default?: unknown, description?: string, writeOnly?: boolean}} Field
 */

/** Shows the ingestion address of each provider, and the settings that an account of it requires. */
export async function openProviders() {
  tell('Loading …');
  /** @type {import('./api.js').Answer<Provider[]>} */
  const list = await call('GET', '/admin/providers');
  if (!list.ok) return showProblem(list.problem, openProviders);
  show(
    'Providers',
    make('h1', {}, 'Providers'),
    make(
      'p',
      {},
      'Each account belongs to one provider. Webhooks that fail the verification of that provider are rejected.',
    ),
    make('div', { class: 'providers' }, list.data.map(card)),
  );
  tellNothing();
}

/** @param {Provider} provider */
function card(provider) {
  const { name, title, ingestion_url, secret, handshake, documentation } = provider;
  /** @type {[string, import('./dom.js').Child][]} */
  const rows = [
    ['Address', make('code', {}, ingestion_url)],
    [secret.label, make('span', {}, prose(secret.hint))],
    [
      'Address check',
      handshake ? 'The provider checks the address before it sends webhooks; the gateway responds.' : null,
    ],
    ['Documentation', make('code', {}, documentation)],
  ];
  const summary = make('span', {}, make('strong', {}, title), ' ', make('code', { class: 'aside' }, name));
  return make(
    'section',
    { class: 'panel' },
    details(
      `provider-${name}`,
      summary,
      make(
        'dl',
        {},
        rows
          .filter(([, value]) => value)
          .map(([term, value]) => make('div', {}, make('dt', {}, term), make('dd', {}, value))),
      ),
      settings(provider),
      make('h3', {}, 'Create an account'),
      textBox(`Command that creates an account for ${title}`, command(provider)),
    ),
  );
}

/** @param {Provider} provider */
function settings({ config }) {
  const fields = Object.entries(/** @type {Record<string, Field>} */ (config.properties ?? {}));
  if (fields.length === 0) return null;
  const needed = neededBy(config);
  const rows = fields.map(([name, field]) => {
    const kind = field.enum ? `one of ${field.enum.join(', ')}` : String(field.type ?? '');
    const preset = field.default === undefined ? '' : `, default ${JSON.stringify(field.default)}`;
    const demand = needed.includes(name) ? ', required' : '';
    const secret = field.writeOnly === true ? ', write-only' : '';
    return make(
      'tr',
      {},
      make('th', { scope: 'row' }, make('code', {}, name)),
      make(
        'td',
        {},
        prose(field.description ?? ''),
        ' ',
        make('span', { class: 'aside' }, `${kind}${preset}${demand}${secret}`),
      ),
    );
  });
  return make(
    'div',
    {},
    make('h3', {}, 'Settings (', make('code', {}, 'provider_config'), ')'),
    make('table', { class: 'pairs' }, make('tbody', {}, rows)),
  );
}

/** @param {Provider} provider */
function command({ name, ingestion_url, secret, config }) {
  const needed = neededBy(config).map((field) => [field, `<${field}>`]);
  const account = {
    provider: name,
    account_slug: 'shop',
    app_key: 'my-app',
    signing_secret_current: `<${secret.label}>`,
    ...(needed.length > 0 ? { provider_config: Object.fromEntries(needed) } : {}),
    delivery_url: '<URL of your service>',
  };
  const origin = new URL(ingestion_url).origin;
  return `curl -X POST ${origin}/admin/accounts -H "X-Admin-Token: $ADMIN_TOKEN" \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(account, null, 2)}'`;
}

/**
 * The required settings.
 *
 * @param {Provider['config']} config
 * @returns {string[]}
 */
const neededBy = (config) => (Array.isArray(config.required) ? config.required : []);
