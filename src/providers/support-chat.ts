import { storableText } from '../shared/text.ts';
import { dedupByIdAndBytes, generatedId, ownId } from './external-id.ts';
import { identifierAt, stringField, topLevelFields } from './fields.ts';
import type { Provider } from './provider.ts';
import { noConfig } from './provider-config.ts';
import { verifyLiteral } from './verification.ts';

/** Spec 6.1. */
const types = new Map([
  ['message:send', 'chat.message'],
  ['message:received', 'chat.message_received'],
  ['session:set_email', 'chat.email_set'],
]);

/**
 * The chat-support provider (R32, R43, R45). It does not sign: the secret is the query parameter `key` of the ingestion
 * address. The header `X-Original-Url` is required, but its content is not trusted.
 */
export const supportChat: Provider = {
  name: 'support_chat',
  title: 'Support chat',
  verification: 'A key in the address',
  secret: {
    label: 'Key',
    hint: 'Any text. It is part of the address that you enter in the chat service: `?key=…`.',
  },
  config: noConfig,
  secretHeaders: [],
  notKept: 'secret_not_stored',

  verify(request, { secret }) {
    if (!request.headerValues('x-original-url').some((url) => url.trim() !== '')) {
      return { ok: false, reason: 'missing_original_url' };
    }
    return verifyLiteral(request.queryValues('key'), secret);
  },

  /** Event names that are not in the table stay unchanged. */
  eventType(request) {
    const fields = topLevelFields(request);
    const event = fields && stringField(fields, 'event');
    return event === null ? null : (types.get(event) ?? storableText(event));
  },

  /**
   * With `data.session_id`:
   * - `<session_id>:<fingerprint>` if `data.fingerprint` is present. Events about one message, such as sending and
   *   editing it, share this id; their bytes distinguish them.
   * - Otherwise `<session_id>:<event>:<timestamp>`, with the event's name as sent and the top-level timestamp. These
   *   are events about the session itself.
   *
   * `gen-<timestamp>-<payload_hash>` when a required part is missing.
   */
  externalId(request) {
    const session = identifierAt(request, 'data', 'session_id');
    if (session === null) return generatedId(request);
    const fingerprint = identifierAt(request, 'data', 'fingerprint');
    if (fingerprint !== null) return ownId(`${session}:${fingerprint}`);
    const event = identifierAt(request, 'event');
    const timestamp = identifierAt(request, 'timestamp');
    return event === null || timestamp === null ? generatedId(request) : ownId(`${session}:${event}:${timestamp}`);
  },

  dedupKey: dedupByIdAndBytes,
};
