import { type ProviderSamples, type SampleContent, type SampleContext, secondsOf } from './sample.ts';

function event({ id, at }: SampleContext, type: string, object: Record<string, unknown>): SampleContent {
  return {
    fields: {
      id: `evt_${id}`,
      object: 'event',
      api_version: '2025-10-29.clover',
      created: secondsOf(at),
      data: { object: { ...object, created: secondsOf(at), livemode: false } },
      livemode: false,
      pending_webhooks: 1,
      request: { id: `req_${id.slice(0, 14)}`, idempotency_key: null },
      type,
    },
  };
}

export const stripe: ProviderSamples = {
  provider: 'stripe',
  source: 'https://docs.stripe.com/api/events/object',
  samples: {
    'payment_intent.succeeded': (context) =>
      event(context, 'payment_intent.succeeded', {
        id: `pi_${context.id}`,
        object: 'payment_intent',
        amount: 2000,
        amount_received: 2000,
        capture_method: 'automatic',
        currency: 'usd',
        customer: null,
        description: null,
        latest_charge: `ch_${context.id}`,
        metadata: {},
        payment_method: `pm_${context.id}`,
        payment_method_types: ['card'],
        receipt_email: null,
        status: 'succeeded',
      }),
    'invoice.paid': (context) =>
      event(context, 'invoice.paid', {
        id: `in_${context.id}`,
        object: 'invoice',
        amount_due: 1500,
        amount_paid: 1500,
        amount_remaining: 0,
        billing_reason: 'subscription_cycle',
        collection_method: 'charge_automatically',
        currency: 'usd',
        customer: `cus_${context.id.slice(0, 14)}`,
        customer_email: 'jenny.rosen@example.com',
        lines: { object: 'list', data: [], has_more: false },
        metadata: {},
        number: 'A1B2C3D4-0001',
        status: 'paid',
        total: 1500,
      }),
    'customer.subscription.deleted': (context) =>
      event(context, 'customer.subscription.deleted', {
        id: `sub_${context.id}`,
        object: 'subscription',
        cancel_at_period_end: false,
        canceled_at: secondsOf(context.at),
        cancellation_details: { comment: null, feedback: null, reason: 'cancellation_requested' },
        collection_method: 'charge_automatically',
        currency: 'usd',
        customer: `cus_${context.id.slice(0, 14)}`,
        items: { object: 'list', data: [], has_more: false },
        metadata: {},
        status: 'canceled',
      }),
  },
};
