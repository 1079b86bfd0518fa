const key = 'webhook-gateway-admin-token';

/** Called after each change of the token. */
const listeners = new Set<() => void>();

/** Why the gateway ended the session; null if the user did. */
let refusal: string | null = null;

function end(reason: string | null): void {
  sessionStorage.removeItem(key);
  refusal = reason;
  for (const changed of listeners) changed();
}

/** The admin token. Kept only for this tab, until the tab is closed or the user signs out. */
export const token = {
  get: (): string | null => sessionStorage.getItem(key),
  set(value: string): void {
    sessionStorage.setItem(key, value);
    for (const changed of listeners) changed();
  },
  clear: () => end(null),
  /** Signs out because the gateway refuses the token. */
  refused(reason = 'The gateway no longer accepts the token of this tab: it has ended, or was revoked'): void {
    // After the user has signed out, a call in flight may still be refused.
    if (token.get() !== null) end(reason);
  },
  refusal: () => refusal,
  subscribe(changed: () => void): () => void {
    listeners.add(changed);
    return () => void listeners.delete(changed);
  },
};

/** Whether a header can contain a token. */
export const isToken = (text: string) => /^[\x21-\x7e]+$/.test(text);
