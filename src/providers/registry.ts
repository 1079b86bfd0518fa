import { adyen } from './adyen.ts';
import { generic } from './generic.ts';
import { gitlab } from './gitlab.ts';
import { hmac } from './hmac.ts';
import type { Provider } from './provider.ts';
import { standard } from './standard.ts';
import { stripe } from './stripe.ts';
import { supportChat } from './support-chat.ts';

/** Every provider by its name; the only place to add one. A name that is not here never verifies. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  [generic, supportChat, stripe, adyen, gitlab, standard, hmac].map((provider: Provider) => [provider.name, provider]),
);

/** The names that an account's `provider` may have. */
export const providerNames: readonly string[] = [...providers.keys()];

/** A stored `provider_config` as the provider of that name reads it, defaults filled in; null when it does not fit. */
export function readProviderConfig(name: string, stored: unknown): object | null {
  return providers.get(name)?.config.safeParse(stored).data ?? null;
}
