/** The settings for sending e-mail. */
export interface MailSettings {
  /** The sender's address. */
  from: string;
  /** Null without an API key. `baseUrl` is an origin. */
  sendgrid: { apiKey: string; baseUrl: string } | null;
  /** The folder for messages when there is no API key; null: e-mail destinations fail without a key. */
  outboxDir: string | null;
}

export interface NotificationSettings {
  mail: MailSettings;
  /** Returns the gateway's public URL for links, without a trailing slash. With PORT=0 it is known only after the start. */
  baseUrl: () => string;
  /** The most messages to a chat or e-mail destination in ten minutes; null: unlimited. */
  burst: number | null;
}

/** Addresses that stand for all of the machine, with the one of them that always leads there. */
const unspecified: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL at which the gateway listens, such as `http://127.0.0.1:8080`, for users on the same machine. */
export function originOf({ host, port }: { host: string; port: number }): string {
  const address = unspecified[host] ?? host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
