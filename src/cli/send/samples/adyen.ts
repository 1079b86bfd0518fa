import type { ProviderSamples } from './sample.ts';

export const adyen: ProviderSamples = {
  provider: 'adyen',
  source: 'https://docs.adyen.com/development-resources/webhooks/webhook-types',
  samples: {
    AUTHORISATION: ({ id, at }) => ({
      fields: {
        live: 'false',
        notificationItems: [
          {
            NotificationRequestItem: {
              additionalData: { authCode: '1234', cardSummary: '7777', expiryDate: '03/2030' },
              amount: { currency: 'EUR', value: 1130 },
              eventCode: 'AUTHORISATION',
              eventDate: at.toISOString(),
              merchantAccountCode: 'TestMerchant',
              merchantReference: `order-${id.slice(0, 8)}`,
              operations: ['CANCEL', 'CAPTURE', 'REFUND'],
              paymentMethod: 'visa',
              pspReference: id.slice(0, 16).toUpperCase(),
              reason: '1234:7777:03/2030',
              success: 'true',
            },
          },
        ],
      },
    }),
    'balancePlatform.transfer.created': ({ id, at }) => ({
      fields: {
        data: {
          id: id.slice(0, 16).toUpperCase(),
          balancePlatform: 'YOUR_BALANCE_PLATFORM',
          accountHolder: { id: 'AH00000000000000000000001' },
          amount: { currency: 'EUR', value: 1130 },
          category: 'bank',
          direction: 'incoming',
          status: 'received',
        },
        environment: 'test',
        timestamp: at.toISOString(),
        type: 'balancePlatform.transfer.created',
      },
    }),
  },
};
