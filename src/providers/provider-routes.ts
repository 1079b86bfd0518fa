import { Elysia } from 'elysia';
import { z } from 'zod';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { trialPath } from '../http/trial-path.ts';
import type { Provider } from './provider.ts';
import { configSchema } from './provider-config.ts';
import * as schemas from './provider-schemas.ts';

function view(provider: Provider, baseUrl: string, trialUrl: string | null) {
  const { name, title, verification, secret } = provider;
  const path = `/${name}/{account_slug}`;
  return {
    name,
    title,
    verification,
    ingestion_path: path,
    ingestion_url: baseUrl + path,
    trial_url: trialUrl,
    secret: { label: secret.label, hint: secret.hint },
    config: configSchema(provider),
    handshake: provider.handshake !== undefined,
    documentation: `docs/providers/${name}.md`,
  };
}

/** `/admin/providers`: the providers and the settings that an account of each needs. */
export function providerRoutes(deps: {
  providers: ReadonlyMap<string, Provider>;
  /** Why deliveries to a URL are refused; null if they are not. */
  addresses: { warning(url: string): Promise<string | null> };
  baseUrl: () => string;
}) {
  return new Elysia({ name: 'providers', prefix: '/providers' }).get(
    '/',
    async () => {
      const baseUrl = deps.baseUrl();
      const trial = baseUrl + trialPath;
      const trialUrl = (await deps.addresses.warning(trial)) === null ? trial : null;
      return [...deps.providers.values()].map((provider) => view(provider, baseUrl, trialUrl));
    },
    operation('provider.list', {
      role: 'read',
      scope: 'free',
      summary: 'List providers',
      description:
        'Includes the format of `signing_secret_current` and the fields of `provider_config` for each provider.',
      body: noBody,
      query: noQuery,
      success: { 200: z.array(schemas.provider) },
    }),
  );
}
