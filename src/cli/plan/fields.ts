import { accountSchemas } from '../../accounts/account-rules.ts';
import { consumerSchemas } from '../../consumers/consumer-rules.ts';
import { defaultKinds } from '../../notifications/destinations/destination-kinds.ts';
import { destinationSchemas } from '../../notifications/destinations/destination-rules.ts';
import { configSchema } from '../../providers/provider-config.ts';
import { providers } from '../../providers/registry.ts';

// The fields of gateway.yaml, by the schemas of the API's bodies. Paths within `config` and `provider_config` have a dot.

/** What the file describes. */
export type Kind = 'account' | 'consumer' | 'destination';

/** Addresses are judged by the gateway, which knows DELIVERY_ALLOWED_NETWORKS. */
const addresses = { refusal: () => null };

const {
  provider: _provider,
  account_slug: _slug,
  signing_secret_previous: _previous,
  ...accountFields
} = accountSchemas(providers, addresses).fields;
const { name: _name, ...consumerFields } = consumerSchemas(addresses).fields;

const { name: _destination, ...destinationFields } = destinationSchemas.change.shape;

/** The schemas of fields. Provider and slug are the key of an account, and names are keys. */
export const fieldSchemas = { account: accountFields, consumer: consumerFields, destination: destinationFields };

/** What the API sets for a field that is not sent. A field that is absent in the file has this value. */
export const defaults: Record<Kind, Readonly<Record<string, unknown>>> = {
  account: {
    ...{ org_id: null, skip_signature_verification: false, enabled: true },
    ...{ delivery_url: null, project_id: null, project_delivery_url: null },
  },
  consumer: {
    ...{ signature: null, enabled: true, condition: null, headers: {}, authentication: null, ca: null },
    ...{ timeout: null, schedule: null, success: null, final: null },
  },
  destination: {
    enabled: true,
    condition: null,
    kinds: [...defaultKinds],
    position: 0,
    'config.include_payload': false,
  },
};

/** The fields that a new account, consumer or destination must have. */
export const requiredFields: Record<Kind, readonly string[]> = {
  ...{ account: ['app_key'], consumer: ['url'], destination: ['destination_type', 'config'] },
};

/** The field of each type of authentication that is its secret. */
export const secretOfAuthentication: Readonly<Record<string, string>> = {
  ...{ basic: 'password', bearer: 'token', header: 'value', oauth2: 'client_secret', mtls: 'key' },
};

const secrets: Record<Kind, readonly string[]> = {
  account: ['signing_secret_current', 'delivery_secret', 'project_delivery_secret'],
  consumer: ['secret', ...Object.values(secretOfAuthentication).map((one) => `authentication.${one}`)],
  // The address of a chat is all that is needed to write there.
  destination: ['config.secret', 'config.webhook_url'],
};

/** The secret fields of a `provider_config`. */
const secretsOfConfig = new Map(
  [...providers.values()].map((provider) => {
    const { properties = {} } = configSchema(provider);
    const names = Object.entries(properties).flatMap(([name, field]) =>
      typeof field === 'object' && field.writeOnly === true ? [`provider_config.${name}`] : [],
    );
    return [provider.name, names] as const;
  }),
);

/** The paths of secrets, which are never shown. `provider`: that of the account. */
export const secretPaths = (kind: Kind, provider: string): readonly string[] =>
  kind === 'account' ? [...secrets.account, ...(secretsOfConfig.get(provider) ?? [])] : secrets[kind];

/** Names of the fields that are secrets, wherever they are. */
export const secretNames: ReadonlySet<string> = new Set(
  Object.values(secrets).flatMap((paths) => paths.map((path) => path.slice(path.lastIndexOf('.') + 1))),
);

/** The paths of URLs that may have a user and password. */
export const urlPaths: Record<Kind, readonly string[]> = {
  ...{ account: ['delivery_url', 'project_delivery_url'], consumer: ['url'], destination: ['config.url'] },
};

/** The objects of each kind whose fields are compared one by one. */
export const openedFields: Record<Kind, string | null> = {
  ...{ account: 'provider_config', consumer: null, destination: 'config' },
};
