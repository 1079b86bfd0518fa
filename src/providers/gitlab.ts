import { storableText, utf8HeaderValue } from '../shared/text.ts';
import { dedupById, dedupByIdAndBytes, ownOrGeneratedId } from './external-id.ts';
import { objectField, stringField, topLevelFields } from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { Provider } from './provider.ts';
import { timestampConfig } from './provider-config.ts';
import { keyBytes, messageId, verifyMessage } from './standard-signature.ts';
import { verifyLiteral } from './verification.ts';

/** GitLab makes signing tokens of so many bytes and takes no others. */
const signingTokenLength = 32;

/**
 * GitLab: a signing token (`whsec_…`, since 19.0) signs as Standard Webhooks does; a secret token, which is any other
 * text, is sent as it is in `X-Gitlab-Token`. GitLab sends both when both are set; the account says which one counts.
 *
 * Source: https://docs.gitlab.com/user/project/integrations/webhooks/
 */
export const gitlab: Provider<{ tolerance_seconds: number }> = {
  name: 'gitlab',
  title: 'GitLab',
  secret: {
    label: 'Signing token or secret token',
    hint: 'From the settings of the webhook: the signing token (`whsec_…`) or, where there is none, the secret token.',
    problem: (secret) =>
      secret.startsWith('whsec_') && !signingKey(secret)
        ? `must be whsec_ and ${signingTokenLength} bytes in base64, or a secret token that begins otherwise`
        : null,
  },
  config: timestampConfig,
  secretHeaders: ['x-gitlab-token'],

  verify(request, { secret, config }) {
    if (secret.startsWith('whsec_')) {
      const key = signingKey(secret);
      return key ? verifyMessage(request, [{ scheme: 'v1', key }], config) : { ok: false, reason: 'unusable_secret' };
    }
    const offered = request.headerValues('x-gitlab-token').flatMap((value) => [value, utf8HeaderValue(value)]);
    return verifyLiteral(offered, secret);
  },

  /** `merge_request.open`, `push`; system hooks and memberships have a name only; with a template of one's own, `Push Hook`. */
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

  /** Before 17.4 there is only the event's UUID, which all that one action in GitLab sets off may share. */
  dedupKey(request, externalId) {
    return deliveryId(request) === null ? dedupByIdAndBytes(request, externalId) : dedupById(request, externalId);
  },
};

/** The key that a signing token writes down, or null: half a token must not pass for a secret token. */
function signingKey(token: string): Buffer | null {
  const key = keyBytes(token, 'whsec_');
  return key?.length === signingTokenLength ? key : null;
}

/** The id that a retry and a resend keep. Both headers hold the same; the first one is signed. */
function deliveryId(request: InboundRequest): string | null {
  return messageId(request) ?? (request.header('idempotency-key') || null);
}
