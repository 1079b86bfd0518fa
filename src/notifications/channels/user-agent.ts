import type { Header } from '../../delivery/headers.ts';
import { version } from '../../shared/version.ts';

/** The services of chat_two and e-mail ask clients to say who they are; some turn away those that do not. */
export const userAgent: Header = ['user-agent', `webhook-gateway/${version}`];
