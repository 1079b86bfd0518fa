import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { noQuery, operation } from '../http/operation.ts';
import { filled, secret, text } from '../shared/text-rules.ts';
import { existingAccount } from './account-routes.ts';
import type { AccountStore } from './account-store.ts';
import { comparedUrl, differing, type SecretsByPath } from './compared-secrets.ts';
import { ComparisonLimit } from './comparison-limit.ts';

/** A URL may hold a user and a password. */
const url = filled(500);
/** A private key in PEM is the longest secret of a consumer. */
const pem = text(20_000);

const ofAccount = z
  .strictObject({
    ...{ signing_secret_current: secret, signing_secret_previous: secret },
    ...{ delivery_secret: secret, project_delivery_secret: secret },
    ...{ delivery_url: url, project_delivery_url: url },
    provider_config: z.record(text(100), text(1000)),
  })
  .partial();

const ofConsumer = z
  .strictObject({
    url,
    secret,
    password: secret.meta({ description: 'Of the authentication `basic`' }),
    token: secret.meta({ description: 'Of `bearer`' }),
    value: secret.meta({ description: 'Of `header`' }),
    client_secret: secret.meta({ description: 'Of `oauth2`' }),
    key: pem.meta({ description: 'Of `mtls`, in PEM' }),
  })
  .partial();

const ofDestination = z.strictObject({ url, secret, webhook_url: url }).partial();

const candidates = z
  .strictObject({
    account: ofAccount,
    consumers: z.record(text(100), ofConsumer).meta({ description: 'By name' }),
    destinations: z.record(text(100), ofDestination).meta({ description: 'By id' }),
  })
  .partial();

const compared = z
  .object({
    differ: z.array(z.string()).meta({
      description: 'The paths of the candidates that are not the stored value, or have none',
    }),
  })
  .meta({ id: 'SecretsCompared', examples: [{ differ: ['account.delivery_secret', 'consumers.billing.secret'] }] });

/** The texts of a body by their path. URLs are put into the form in which they are compared. */
function byPath(value: unknown, path: readonly string[] = []): [path: string, candidate: string][] {
  if (typeof value === 'string')
    return [
      [
        path.join('.'),
        /(^|_)url$/.test(path.at(-1) ?? '') && path[1] !== 'provider_config' ? comparedUrl(value) : value,
      ],
    ];
  return Object.entries(value ?? {}).flatMap(([name, held]) => byPath(held, [...path, name]));
}

/** `/admin/accounts/{account_id}/secrets/compare`: which secrets differ from those that an operator has. */
export function compareRoutes(deps: {
  accounts: Pick<AccountStore, 'get' | 'secretsOf'>;
  consumers: { secretsOf(accountId: string): Promise<SecretsByPath> };
  destinations: { secretsOf(accountId: string): Promise<SecretsByPath> };
  calls: AdminCalls;
}) {
  const { accounts, consumers, destinations, calls } = deps;
  const limit = new ComparisonLimit();
  return new Elysia({ name: 'account-compare', prefix: '/accounts' }).post(
    '/:account_id/secrets/compare',
    async ({ params, body, request }) => {
      const call = calls.of(request);
      limit.take(call.actor);
      const account = await existingAccount(accounts, params.account_id);
      const given = new Map(byPath(body));
      const stored = new Map([
        ...accounts.secretsOf(account),
        ...(await consumers.secretsOf(account.id)),
        ...(await destinations.secretsOf(account.id)),
      ]);
      const differ = differing(given, stored);
      // Only names that are stored, so that the entry holds nothing that a caller has made up.
      call.note({ compared: [...given.keys()].filter((path) => stored.has(path)), differ: differ.length });
      return { differ };
    },
    operation('account.compare_secrets', {
      role: 'admin',
      summary: 'Compare secrets with those of an account',
      description:
        'Says which of the secrets that are sent differ from the stored ones, also of consumers and destinations, and never shows one. A URL is compared with its user and password. What the account does not have differs. A token may compare ten times a minute.',
      body: candidates,
      query: noQuery,
      success: { 200: compared },
      errors: ['not_found', 'too_many_calls'],
      examples: {
        body: { account: { delivery_secret: 'change-me' }, consumers: { billing: { secret: 'change-me' } } },
      },
    }),
  );
}
