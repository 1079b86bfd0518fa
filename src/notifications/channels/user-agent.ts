import type { Header } from '../../delivery/headers.ts';
import { version } from '../../shared/version.ts';

/**
 * The services for chat_two and e-mail require clients to identify themselves; some refuse requests without this
 * header.
 */
export const userAgent: Header = ['user-agent', `webhook-gateway/${version}`];
