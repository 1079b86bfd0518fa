import type { Provider } from '../../../api/types.ts';
import { configChange, configFields } from '../fields/config-schema.ts';
import type { Draft } from './defaults.ts';

/** What the user entered, as `POST /admin/accounts` takes it. */
export function accountOf(provider: Provider, draft: Draft) {
  const { slug, appKey, secret, config, consumer, deliveryUrl, deliverySecret } = draft;
  const provider_config = configChange(configFields(provider.config), config);
  return {
    ...{ provider: provider.name, account_slug: slug, app_key: appKey, signing_secret_current: secret },
    ...(provider_config && { provider_config }),
    ...(consumer === 'own' && { delivery_url: deliveryUrl }),
    ...(consumer === 'own' && deliverySecret !== '' && { delivery_secret: deliverySecret }),
    ...(consumer === 'trial' && { delivery_url: provider.trial_url }),
  };
}

/** Whether the form shows errors of this path next to a field. */
export function hasField(path: string, { consumer }: Draft): boolean {
  if (path === 'delivery_url' || path === 'delivery_secret') return consumer === 'own';
  return ['account_slug', 'app_key', 'signing_secret_current'].includes(path) || path.startsWith('provider_config.');
}
