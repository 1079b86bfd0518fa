import { type ProviderSamples, secondsOf } from './sample.ts';

export const meta: ProviderSamples = {
  provider: 'meta',
  source: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started',
  samples: {
    'whatsapp_business_account.messages': ({ id, at }) => ({
      fields: {
        object: 'whatsapp_business_account',
        entry: [
          {
            id: '102290129340398',
            changes: [
              {
                field: 'messages',
                value: {
                  messaging_product: 'whatsapp',
                  metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
                  contacts: [{ profile: { name: 'Jenny' }, wa_id: '16505551234' }],
                  messages: [
                    {
                      from: '16505551234',
                      id: `wamid.${id}`,
                      timestamp: String(secondsOf(at)),
                      type: 'text',
                      text: { body: 'Where is my order?' },
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    }),
    'page.leadgen': ({ id, at }) => ({
      fields: {
        object: 'page',
        entry: [
          {
            id: '153125381133',
            time: secondsOf(at),
            changes: [
              {
                field: 'leadgen',
                value: {
                  leadgen_id: id,
                  page_id: '153125381133',
                  form_id: '444444444444',
                  created_time: secondsOf(at),
                },
              },
            ],
          },
        ],
      },
    }),
  },
};
