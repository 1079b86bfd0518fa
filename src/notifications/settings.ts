/** How e-mail leaves the gateway. */
export interface MailSettings {
  /** The sender's address. */
  from: string;
  /** Null without an API key. `baseUrl` is an origin. */
  sendgrid: { apiKey: string; baseUrl: string } | null;
  /** Where messages are written while there is no API key; null: then e-mail destinations fail. */
  outboxDir: string | null;
}

export interface NotificationSettings {
  mail: MailSettings;
  /** How people reach the gateway, for links; without a slash at its end. */
  baseUrl: string;
  /** How many messages a chat or e-mail destination gets in ten minutes; null: as many as there are. */
  burst: number | null;
}

/** `http://127.0.0.1:8080`: where the gateway itself listens, for whoever sits at the same machine. */
export function originOf({ host, port }: { host: string; port: number }): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
