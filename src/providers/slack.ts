import { storableText } from '../shared/text.ts';
import { dedupById, dedupByIdAndBytes, ownOrGeneratedId } from './external-id.ts';
import { type Fields, identifierAt, objectField, stringField, topLevelFields } from './fields.ts';
import { formPayload } from './form-payload.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { ChallengeAnswer, Provider } from './provider.ts';
import { timestampConfig } from './provider-config.ts';
import { hmac, matchSignature } from './signature.ts';
import { timelyVerdict } from './timestamp.ts';

const version = 'v0';

/** The form has only `ssl_check=1` and a token. Longer bodies are not parsed, because anyone can send them. */
const maxCheckBytes = 4096;

/**
 * Slack: `X-Slack-Signature: v0=<hex>`, HMAC-SHA256 over `v0:<X-Slack-Request-Timestamp>:<body>`. Events are JSON,
 * slash commands are forms, interactions are forms with JSON in `payload`.
 *
 * Source: https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export const slack: Provider<{ tolerance_seconds: number }> = {
  name: 'slack',
  title: 'Slack',
  verification: 'HMAC-SHA256 over time and body; answers url_verification',
  secret: {
    label: 'Signing secret',
    hint: 'Shown in the settings of the app under "Basic Information", "App Credentials"; it is neither a token nor the client secret.',
  },
  config: timestampConfig,
  secretHeaders: [],

  verify(request, { secret, config }) {
    const signature = request.header('x-slack-signature');
    if (!signature) return { ok: false, reason: 'missing_signature' };
    const prefix = `${version}=`;
    if (!signature.startsWith(prefix)) return { ok: false, reason: 'malformed_signature' };
    const timestamp = request.header('x-slack-request-timestamp');
    if (!timestamp) return { ok: false, reason: 'missing_timestamp' };
    const expected = hmac('sha256', secret, [`${version}:${timestamp}:`, request.body]);
    const verdict = matchSignature(expected, [signature.slice(prefix.length)], 'hex');
    return timelyVerdict(verdict, timestamp, request, config);
  },

  eventType(request) {
    if (formOf(request)?.has('command')) return 'slash_command';
    const payload = payloadOf(request);
    const outer = payload && stringField(payload, 'type');
    const event = payload && outer === 'event_callback' ? objectField(payload, 'event') : null;
    const type = (event && stringField(event, 'type')) ?? outer;
    return storableText(type);
  },

  externalId(request) {
    const form = formOf(request);
    const id = form ? triggerId(form) : identifierAt(request, 'event_id');
    return ownOrGeneratedId(request, id);
  },

  /** An `event_id` is unique in Slack, and retries repeat it. A `trigger_id` only identifies a click. */
  dedupKey(request, externalId) {
    return formOf(request) ? dedupByIdAndBytes(request, externalId) : dedupById(request, externalId);
  },

  /** Commands and interactions accept only 200, and use the body as a reply. Events accept any 2xx. */
  acknowledge: (request) => (formOf(request) ? { status: 200, reply: text('') } : null),

  challenge(request) {
    const payload = topLevelFields(request);
    if (payload && stringField(payload, 'type') === 'url_verification') {
      const challenge = stringField(payload, 'challenge');
      return challenge === null ? null : answer(challenge);
    }
    return formOf(request)?.get('ssl_check') === '1' ? answer('') : null;
  },

  /** Slack sometimes checks the TLS certificate of a slash command's address, with an unsigned form or GET request. */
  unsignedCheck(request) {
    if (request.header('x-slack-signature') || request.body.length > maxCheckBytes) return null;
    const form = formOf(request);
    if (form?.get('ssl_check') !== '1' || form.has('command') || form.has('payload')) return null;
    return answer('');
  },

  handshake: (request) => (request.query.get('ssl_check') === '1' ? { ok: true, answer: answer('') } : { ok: false }),
};

/**
 * Detects a form by the body, which is signed. An attacker who changes the content type cannot make a repeat look new.
 */
function formOf(request: InboundRequest): URLSearchParams | null {
  return topLevelFields(request) ? null : request.bodyAsForm();
}

function payloadOf(request: InboundRequest): Fields | null {
  const form = formOf(request);
  return form ? formPayload(form) : topLevelFields(request);
}

function triggerId(form: URLSearchParams): string | null {
  const payload = formPayload(form);
  return payload ? stringField(payload, 'trigger_id') : form.get('trigger_id');
}

const text = (body: string) => ({ contentType: 'text/plain; charset=utf-8', body });

const answer = (body: string): ChallengeAnswer => ({ status: 200, ...text(body) });
