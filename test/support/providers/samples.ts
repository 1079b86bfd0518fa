import { adyen, adyenPlatform } from './adyen.ts';
import { generic } from './generic.ts';
import { github } from './github.ts';
import { gitlab, gitlabToken } from './gitlab.ts';
import { hmac } from './hmac.ts';
import { intercom } from './intercom.ts';
import { mailgun } from './mailgun.ts';
import { meta } from './meta.ts';
import type { Sample } from './sample.ts';
import { sendgrid } from './sendgrid.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { standard, standardAsymmetric, svix } from './standard.ts';
import { stripe } from './stripe.ts';
import { supportChat } from './support-chat.ts';
import { twilio } from './twilio.ts';
import { vonage } from './vonage.ts';

/** The samples of all providers, one line each. A provider with several ways to sign has several samples. */
export const samples: readonly Sample[] = [
  ...[adyen, adyenPlatform],
  generic,
  github,
  ...[gitlab, gitlabToken],
  hmac,
  intercom,
  mailgun,
  meta,
  sendgrid,
  shopify,
  slack,
  ...[standard, svix, standardAsymmetric],
  stripe,
  supportChat,
  twilio,
  vonage,
];
