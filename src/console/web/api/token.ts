const key = 'webhook-gateway-admin-token';

/** Called after each change of the token. */
const listeners = new Set<() => void>();

/** The admin token. Kept only for this tab, until the tab is closed or the user signs out. */
export const token = {
  get: (): string | null => sessionStorage.getItem(key),
  set(value: string): void {
    sessionStorage.setItem(key, value);
    for (const changed of listeners) changed();
  },
  clear(): void {
    sessionStorage.removeItem(key);
    for (const changed of listeners) changed();
  },
  subscribe(changed: () => void): () => void {
    listeners.add(changed);
    return () => void listeners.delete(changed);
  },
};

/** Whether a header can contain a token. */
export const isToken = (text: string) => /^[\x21-\x7e]+$/.test(text);
