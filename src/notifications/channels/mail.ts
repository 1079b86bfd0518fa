/** A message as it leaves. */
export interface Mail {
  /** The name of the notification: the idempotency key. */
  id: string;
  from: { name: string; email: string };
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
  attachment: { filename: string; type: string; content: Uint8Array } | null;
}
