import { mailgun } from './mailgun.ts';
import type { Sample } from './sample.ts';
import { sendgrid } from './sendgrid.ts';
import { stripe } from './stripe.ts';
import { twilio } from './twilio.ts';
import { vonage } from './vonage.ts';

/** How each provider signs, one line each. */
export const samples: readonly Sample[] = [stripe, twilio, vonage, sendgrid, mailgun];
