import { randomBytes } from 'node:crypto';
import { payloadMarker } from '../secrets.ts';
import type { Sample } from './sample.ts';

/** Not signed: the key is in the URL. */
export const supportChat: Sample = {
  provider: 'support_chat',
  newKey() {
    const secret = randomBytes(24).toString('base64');
    return {
      secret,
      sign: ({ body, url }) => ({
        headers: [['X-Original-Url', url]],
        body,
        query: `?${new URLSearchParams({ key: secret })}`,
      }),
    };
  },
  event(id) {
    const data = { session_id: 'session_1', fingerprint: id, content: `${payloadMarker}${'x'.repeat(885)}` };
    const body = JSON.stringify({ event: 'message:send', timestamp: 1772366400, data });
    return { body, type: 'chat.message', externalId: `session_1:${id}` };
  },
  signature: 'query',
  coversBody: false,
  coversTime: false,
  anyBody: true,
  withSignature(signed, change) {
    const key = change(new URLSearchParams(signed.query).get('key') ?? '');
    return { ...signed, query: key === null ? '' : `?${new URLSearchParams({ key })}` };
  },
};
