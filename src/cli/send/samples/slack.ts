import { type ProviderSamples, type SampleContent, type SampleContext, secondsOf } from './sample.ts';

function event({ id, at }: SampleContext, fields: Record<string, unknown>): SampleContent {
  const time = `${secondsOf(at)}.000100`;
  return {
    fields: {
      token: 'XXYYZZ',
      team_id: 'T061EG9R6',
      api_app_id: 'A0MDYCDME',
      event: { user: 'U061F7AUR', ts: time, channel: 'C0LAN2Q65', event_ts: time, ...fields },
      type: 'event_callback',
      event_id: `Ev${id.toUpperCase()}`,
      event_time: secondsOf(at),
    },
  };
}

export const slack: ProviderSamples = {
  provider: 'slack',
  source: 'https://docs.slack.dev/apis/events-api/',
  samples: {
    app_mention: (context) =>
      event(context, { type: 'app_mention', text: '<@U0LAN0Z89> is it everything a river should be?' }),
    message: (context) => event(context, { type: 'message', channel_type: 'channel', text: 'Where is my order?' }),
    slash_command: ({ id }) => ({
      encoding: 'form',
      fields: {
        token: 'XXYYZZ',
        team_id: 'T061EG9R6',
        team_domain: 'acme',
        channel_id: 'C0LAN2Q65',
        user_id: 'U061F7AUR',
        command: '/order',
        text: '4711',
        response_url: 'https://hooks.slack.example/commands/1234/5678',
        trigger_id: `${id}.738474920.8088930838d88f008e0`,
      },
    }),
  },
};
