import { storableText } from '../shared/text.ts';
import { dedupById, ownOrGeneratedId } from './external-id.ts';
import { stringField, topLevelFields } from './fields.ts';
import { formPayload } from './form-payload.ts';
import { verifyHubSignature } from './hub-signature.ts';
import type { Provider } from './provider.ts';
import { noConfig } from './provider-config.ts';

/**
 * GitHub: `X-Hub-Signature-256: sha256=<hex>`, HMAC-SHA256 over the body, which is JSON or a form with the JSON in
 * `payload`. The headers that name the event and its id are not signed.
 *
 * Source: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries and
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers
 */
export const github: Provider = {
  name: 'github',
  title: 'GitHub',
  verification: 'HMAC-SHA256 of the body',
  secret: {
    label: 'Secret',
    hint: 'The text that you entered as "Secret" of the webhook or GitHub App. GitHub does not show it again.',
  },
  config: noConfig,
  secretHeaders: [],

  verify: (request, { secret }) => verifyHubSignature(request, secret, 'x-hub-signature-256', 'sha256'),

  eventType(request) {
    const event = request.header('x-github-event');
    if (!event) return null;
    const form = request.form();
    const payload = form ? formPayload(form) : topLevelFields(request);
    const action = payload && stringField(payload, 'action');
    return storableText(action ? `${event}.${action}` : event);
  },

  externalId(request) {
    return ownOrGeneratedId(request, request.header('x-github-delivery'));
  },

  /**
   * A redelivery has the id of the first delivery. The deliveries of one event to several webhooks also share one id.
   */
  dedupKey: dedupById,
};
