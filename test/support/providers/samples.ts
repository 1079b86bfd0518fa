import { github } from './github.ts';
import { intercom } from './intercom.ts';
import { meta } from './meta.ts';
import type { Sample } from './sample.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { stripe } from './stripe.ts';

/** How each provider signs, one line each. */
export const samples: readonly Sample[] = [stripe, github, shopify, slack, intercom, meta];
