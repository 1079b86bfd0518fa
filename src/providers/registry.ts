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

/** The only place to add a provider. */
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

/** Every provider by its name. A name that is not here never verifies. */
export const providers: ReadonlyMap<string, Provider> = new Map(all.map((provider) => [provider.name, provider]));

/** The names that an account's `provider` may have. */
export const providerNames: readonly string[] = [...providers.keys()];

/** A stored `provider_config` as the provider of that name reads it, defaults filled in; null when it does not fit. */
export function readProviderConfig(name: string, stored: unknown): object | null {
  return providers.get(name)?.config.safeParse(stored).data ?? null;
}

/** The values of a stored `provider_config` that are never shown; of an unknown provider's config all texts. */
export function secretConfigValues(name: string, stored: Readonly<Record<string, unknown>>): string[] {
  const provider = providers.get(name);
  return provider ? secretValues(provider, stored) : Object.values(stored).filter((value) => typeof value === 'string');
}
