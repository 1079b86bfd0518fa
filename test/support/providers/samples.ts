import type { Sample } from './sample.ts';
import { stripe } from './stripe.ts';

/** How each provider signs, one line each. */
export const samples: readonly Sample[] = [stripe];
