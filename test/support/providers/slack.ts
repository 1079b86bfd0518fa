import { createHmac } from 'node:crypto';
import { newSecret, payloadMarker } from '../secrets.ts';
import { type Sample, sharedSecret, signedInHeader } from './sample.ts';

/** Signs as https://docs.slack.dev/authentication/verifying-requests-from-slack says; Slack's library only verifies. */
export const slack: Sample = {
  provider: 'slack',
  newKey: sharedSecret(newSecret, ({ body, at }, secret) => {
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const signature = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
    return {
      headers: [
        ['X-Slack-Request-Timestamp', timestamp],
        ['X-Slack-Signature', `v0=${signature}`],
      ],
      body,
    };
  }),
  event(id) {
    const body = JSON.stringify({
      token: 'XXYYZZ',
      team_id: 'T061EG9R6',
      api_app_id: 'A0MDYCDME',
      event: {
        type: 'app_mention',
        user: 'U061F7AUR',
        text: `${payloadMarker}${'x'.repeat(685)}`,
        ts: '1515449522.000016',
        channel: 'C0LAN2Q65',
        event_ts: '1515449522000016',
      },
      type: 'event_callback',
      event_id: id,
      event_time: 1515449522,
    });
    return { body, type: 'app_mention', externalId: id };
  },
  ...signedInHeader('x-slack-signature', 'v0='),
  coversBody: true,
  coversTime: true,
  anyBody: true,
};
