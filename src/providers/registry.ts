import { adyen } from './adyen.ts';
import { generic } from './generic.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { hmac } from './hmac.ts';
import { intercom } from './intercom.ts';
import { mailgun } from './mailgun.ts';
import { meta } from './meta.ts';
import type { Provider } from './provider.ts';
import { secretValues } from './provider-config.ts';
import { sendgrid } from './sendgrid.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { standard } from './standard.ts';
import { stripe } from './stripe.ts';
import { supportChat } from './support-chat.ts';
import { twilio } from './twilio.ts';
import { vonage } from './vonage.ts';

/** All providers. This is the only place to add one. */
const all: readonly Provider[] = [
  generic,
  supportChat,
  adyen,
  github,
  gitlab,
  hmac,
  intercom,
  mailgun,
  meta,
  sendgrid,
  shopify,
  slack,
  standard,
  stripe,
  twilio,
  vonage,
];

/** Every provider by its name. Webhooks of an unknown provider never pass verification. */
export const providers: ReadonlyMap<string, Provider> = new Map(all.map((provider) => [provider.name, provider]));

/** The allowed values of an account's `provider`. */
export const providerNames: readonly string[] = [...providers.keys()];

/**
 * Parses a stored `provider_config` with the provider's schema, including its defaults; null when it does not match.
 */
export function readProviderConfig(name: string, stored: unknown): object | null {
  return providers.get(name)?.config.safeParse(stored).data ?? null;
}

/** The secret values of a stored `provider_config`. For an unknown provider, all strings count as secret. */
export function secretConfigValues(name: string, stored: Readonly<Record<string, unknown>>): string[] {
  const provider = providers.get(name);
  return provider ? secretValues(provider, stored) : Object.values(stored).filter((value) => typeof value === 'string');
}
