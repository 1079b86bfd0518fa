import { adyen, adyenPlatform } from './adyen.ts';
import { generic } from './generic.ts';
import { gitlab, gitlabToken } from './gitlab.ts';
import { hmac } from './hmac.ts';
import type { Sample } from './sample.ts';
import { standard, standardAsymmetric, svix } from './standard.ts';
import { stripe } from './stripe.ts';
import { supportChat } from './support-chat.ts';

/** How each provider signs, one line each; more than one where it has several ways. */
export const samples: readonly Sample[] = [
  generic,
  supportChat,
  stripe,
  ...[adyen, adyenPlatform],
  ...[gitlab, gitlabToken],
  ...[standard, svix, standardAsymmetric],
  hmac,
];
