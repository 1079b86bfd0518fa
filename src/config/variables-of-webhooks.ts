import { keyHolders, secret, usedBy } from './variable.ts';

/** Tokens, keys, and limits for webhooks. */
export const variablesOfWebhooks = {
  ...usedBy(['api'], {
    ADMIN_TOKEN: secret(
      'Token for the admin API: 16 characters or more, 8 of them different, else the gateway does not start. Make one with `openssl rand -base64 24`. `npm start` makes one if there is none; `api` needs one.',
    ),
    ADMIN_TOKENS: secret(
      'More of them, with names and [roles](admin-api.md#roles): `alice:token,bob:token:operate,eve:token:read`. The roles are `read`, `operate` and `admin`, which a token without a role has. Each must be as hard to guess.',
    ),
    TRUSTED_PROXIES:
      'Addresses and CIDRs of proxies whose `X-Forwarded-For` is believed, `10.0.0.5,192.168.0.0/16`. None: the client is the address that connects. The compose file sets it to its nginx.',
  }),
  ...usedBy(keyHolders, {
    SECRETS_KEY: secret(
      '32 bytes in base64 or hex (`openssl rand -base64 32`), with which secrets are encrypted and audit entries sealed. `npm start` makes one; `api` and `worker` need the same one.',
    ),
    SECRETS_KEY_PREVIOUS: secret(
      'While `SECRETS_KEY` [is changed](changing-secrets-key.md): the other key, which decrypts existing values and encrypts no new ones.',
    ),
  }),
  ...usedBy(['api'], {
    MAX_PAYLOAD_BYTES: 'Largest body of a webhook.',
    REJECTED_BODY_BYTES: 'Bytes of the body of a [rejected webhook](providers.md#rejected-webhooks) that are kept.',
    REJECTED_ACCOUNT_DAILY_BYTES: 'Bytes of rejected webhooks that are kept of one account and day (UTC).',
    REJECTED_DAILY_BYTES: 'Bytes of rejected webhooks that are kept of all accounts and a day (UTC).',
    MAX_BODY_BYTES_IN_FLIGHT: {
      shownDefault: '67108864',
      meaning:
        'Bytes of all bodies that are being read or processed; past it, [503 `overloaded`](limits.md). One client gets a quarter, so it must be at least four times `MAX_PAYLOAD_BYTES`, and is raised to that where it is not set.',
    },
    MAX_CONNECTIONS:
      'Open connections of clients. A new one beyond them [takes the place of another](limits.md#connections).',
    SHUTDOWN_DRAIN:
      'How long a process that was asked to stop still accepts webhooks while `/health/ready` answers 503, `0s` to `30s`: the time in which a balancer [notices](upgrades.md#balancers). None: `5s` for `api`, `0s` for `npm start`.',
  }),
};
