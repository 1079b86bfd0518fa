import { storableText, utf8HeaderValue } from '../shared/text.ts';
import { dedupById, dedupByIdAndBytes, ownOrGeneratedId } from './external-id.ts';
import { objectField, stringField, topLevelFields } from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { Provider } from './provider.ts';
import { timestampConfig } from './provider-config.ts';
import { keyBytes, messageId, verifyMessage } from './standard-signature.ts';
import { verifyLiteral } from './verification.ts';

/** The length of GitLab's signing tokens, in bytes. GitLab accepts no other length. */
const signingTokenLength = 32;

/**
 * GitLab, with one of two kinds of secret. A signing token (`whsec_…`, since 19.0) signs as Standard Webhooks does. A
 * secret token, any other text, is sent unchanged in `X-Gitlab-Token`. GitLab sends both when both are set; the
 * account's secret decides which one is verified.
 *
 * Source: https://docs.gitlab.com/user/project/integrations/webhooks/
 */
export const gitlab: Provider<{ tolerance_seconds: number }> = {
  name: 'gitlab',
  title: 'GitLab',
  verification: 'A signature, or a token in a header',
  secret: {
    label: 'Signing token or secret token',
    hint: 'Shown in the settings of the webhook: the signing token (`whsec_…`), or the secret token if there is no signing token.',
    problem: (secret) =>
      secret.startsWith('whsec_') && !signingKey(secret)
        ? `must be whsec_ and ${signingTokenLength} bytes in base64, or a secret token that does not begin with whsec_`
        : null,
  },
  config: timestampConfig,
  secretHeaders: ['x-gitlab-token'],
  // Also with a signing token: the account that rejected the webhook may have had a secret token.
  notKept: 'secret_not_stored',

  verify(request, { secret, config }) {
    if (secret.startsWith('whsec_')) {
      const key = signingKey(secret);
      return key ? verifyMessage(request, [{ scheme: 'v1', key }], config) : { ok: false, reason: 'unusable_secret' };
    }
    const offered = request.headerValues('x-gitlab-token').flatMap((value) => [value, utf8HeaderValue(value)]);
    return verifyLiteral(offered, secret);
  },

  /**
   * `<kind>.<action>` such as `merge_request.open`, or only the kind, such as `push`. A custom webhook template may
   * remove the kind; then it is the header's value, such as `Push Hook`.
   */
  eventType(request) {
    const fields = topLevelFields(request);
    const kind = fields && (stringField(fields, 'object_kind') ?? stringField(fields, 'event_name'));
    if (!fields || !kind) {
      const header = request.header('x-gitlab-event');
      return header ? storableText(header) : null;
    }
    const attributes = objectField(fields, 'object_attributes');
    const action = (attributes && stringField(attributes, 'action')) ?? stringField(fields, 'action');
    return storableText(action ? `${kind}.${action}` : kind);
  },

  externalId(request) {
    const id = deliveryId(request) ?? request.header('x-gitlab-event-uuid');
    return ownOrGeneratedId(request, id);
  },

  /** Before 17.4 there is only the event's UUID, which all webhooks that are caused by one action may share. */
  dedupKey(request, externalId) {
    return deliveryId(request) === null ? dedupByIdAndBytes(request, externalId) : dedupById(request, externalId);
  },
};

/**
 * The key in a signing token; null when its length is wrong. A truncated signing token must not be used as a secret
 * token.
 */
function signingKey(token: string): Buffer | null {
  const key = keyBytes(token, 'whsec_');
  return key?.length === signingTokenLength ? key : null;
}

/** The id that retries and manual resends share. Both headers hold the same id; the first one is signed. */
function deliveryId(request: InboundRequest): string | null {
  return messageId(request) ?? (request.header('idempotency-key') || null);
}
