import { Area, Choice, Field } from '../../../components/field.tsx';
import { SecretField } from '../fields/secret-field.tsx';
import {
  type AuthenticationType,
  type DeliveryDraft,
  type DeliveryFieldsProps,
  isStoredAuthentication,
  unreadable,
} from './delivery-draft.ts';

const types: readonly (readonly [AuthenticationType, string])[] = [
  ['none', 'None, or user and password of the URL'],
  ['basic', 'User and password (Basic)'],
  ['bearer', 'Bearer token'],
  ['header', 'Header with a secret'],
  ['oauth2', 'Access token (OAuth 2 client credentials)'],
  ['mtls', 'Client certificate (mTLS)'],
];
const clientAuths = [
  ['basic', 'in the header Authorization (usual)'],
  ['body', 'in the body'],
] as const;

const isType = (given: string): given is AuthenticationType =>
  given === unreadable[0] || types.some(([type]) => type === given);

const emptied = {
  ...{ user: '', credential: '', tokenUrl: '', scope: '', audience: '', certificate: '' },
  clientAuth: 'basic',
} as const satisfies Partial<DeliveryDraft>;

/** How deliveries to the consumer authenticate. */
export function AuthenticationFields({ draft, stored, errors, change }: DeliveryFieldsProps) {
  const { authentication: type, credential } = draft;
  const keeps = isStoredAuthentication(stored, draft) ? 'Set; leave empty to keep it' : '';
  // A password may be empty, but not by mistake.
  const isNeeded = keeps === '' && (type !== 'basic' || stored.authentication === 'basic');
  const error = (field: string) => errors.get(`authentication.${field}`);
  const secret = (label: string, field: string) => (
    <SecretField
      label={label}
      error={error(field)}
      required={isNeeded}
      placeholder={keeps}
      value={credential}
      onChange={(given) => change({ credential: given })}
    />
  );
  const text = (label: string, field: string, key: 'user' | 'tokenUrl' | 'scope' | 'audience', placeholder: string) => (
    <Field
      label={label}
      error={error(field)}
      placeholder={placeholder}
      value={draft[key]}
      onChange={(given) => change({ [key]: given })}
    />
  );
  return (
    <>
      <Choice
        label="Authentication"
        hint="Of each delivery. Its secret is encrypted and not shown again."
        error={errors.get('authentication') ?? error('type')}
        options={stored.authentication === 'unreadable' ? [...types, unreadable] : types}
        value={type}
        onChange={(given) => isType(given) && change({ ...emptied, authentication: given })}
      />
      {type === 'basic' && text('User', 'username', 'user', 'gateway')}
      {type === 'basic' && secret('Password', 'password')}
      {type === 'bearer' && secret('Token', 'token')}
      {type === 'header' && text('Name of the header', 'name', 'user', 'x-api-key')}
      {type === 'header' && secret('Value', 'value')}
      {type === 'oauth2' && (
        <>
          {text('Token URL', 'token_url', 'tokenUrl', 'https://login.example/oauth/token')}
          {text('Client id', 'client_id', 'user', 'webhooks')}
          {secret('Client secret', 'client_secret')}
          {text('Scope', 'scope', 'scope', 'optional')}
          {text('Audience', 'audience', 'audience', 'optional')}
          <Choice
            label="Id and secret are sent"
            error={error('client_auth')}
            options={clientAuths}
            value={draft.clientAuth}
            onChange={(given) => change({ clientAuth: given === 'body' ? 'body' : 'basic' })}
          />
        </>
      )}
      {type === 'mtls' && (
        <>
          <Area
            label="Certificate"
            hint="In PEM, with its chain. For an https: URL."
            error={error('certificate')}
            rows={4}
            placeholder="-----BEGIN CERTIFICATE-----"
            value={draft.certificate}
            onChange={(certificate) => change({ certificate })}
          />
          <Area
            label="Private key"
            hint="In PEM, without a passphrase."
            error={error('key')}
            rows={4}
            required={isNeeded}
            placeholder={keeps === '' ? '-----BEGIN PRIVATE KEY-----' : keeps}
            value={credential}
            onChange={(given) => change({ credential: given })}
          />
        </>
      )}
    </>
  );
}
