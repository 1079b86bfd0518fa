import { github } from './github.ts';
import { intercom } from './intercom.ts';
import { mailgun } from './mailgun.ts';
import { meta } from './meta.ts';
import type { Sample } from './sample.ts';
import { sendgrid } from './sendgrid.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { stripe } from './stripe.ts';
import { twilio } from './twilio.ts';
import { vonage } from './vonage.ts';

/** How each provider signs, one line each. */
export const samples: readonly Sample[] = [
  github,
  intercom,
  mailgun,
  meta,
  sendgrid,
  shopify,
  slack,
  stripe,
  twilio,
  vonage,
];
