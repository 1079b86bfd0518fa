/** An e-mail message that is ready to be sent. */
export interface Mail {
  /** The notification's id, which is the idempotency key. */
  id: string;
  from: { name: string; email: string };
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
  attachment: { filename: string; type: string; content: Uint8Array } | null;
}
