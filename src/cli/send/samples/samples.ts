import { adyen } from './adyen.ts';
import { generic } from './generic.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { hmac } from './hmac.ts';
import { intercom } from './intercom.ts';
import { mailgun } from './mailgun.ts';
import { meta } from './meta.ts';
import type { ProviderSamples } from './sample.ts';
import { sendgrid } from './sendgrid.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { standard } from './standard.ts';
import { stripe } from './stripe.ts';
import { supportChat } from './support-chat.ts';
import { twilio } from './twilio.ts';
import { vonage } from './vonage.ts';

/** The samples of all providers. */
export const samples: ReadonlyMap<string, ProviderSamples> = new Map(
  [
    ...[generic, supportChat, adyen, github, gitlab, hmac, intercom, mailgun],
    ...[meta, sendgrid, shopify, slack, standard, stripe, twilio, vonage],
  ].map((one) => [one.provider, one]),
);

/** The names of all samples, such as `stripe/invoice.paid`. */
export const sampleNames = (): string[] =>
  [...samples.values()].flatMap(({ provider, samples }) => Object.keys(samples).map((type) => `${provider}/${type}`));
