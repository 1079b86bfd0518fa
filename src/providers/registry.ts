import { generic } from './generic.ts';
import type { Provider } from './provider.ts';
import { supportChat } from './support-chat.ts';

/** Every provider by its name; the only place to add one. A name that is not here never verifies. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  [generic, supportChat].map((provider) => [provider.name, provider]),
);

/** The names that an account's `provider` may have. */
export const providerNames: readonly string[] = [...providers.keys()];
