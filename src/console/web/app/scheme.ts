/** The colours that the user has chosen; `system` follows the system. */
export type Scheme = 'system' | 'light' | 'dark';

const key = 'webhook-gateway-scheme';
const isScheme = (text: string | null): text is Scheme => text === 'light' || text === 'dark' || text === 'system';

export function readScheme(): Scheme {
  const stored = localStorage.getItem(key);
  return isScheme(stored) ? stored : 'system';
}

/** Shows the pages in the chosen colours. */
export function applyScheme(scheme = readScheme()): void {
  if (scheme === 'system') delete document.documentElement.dataset.scheme;
  else document.documentElement.dataset.scheme = scheme;
}

export function chooseScheme(scheme: Scheme): void {
  localStorage.setItem(key, scheme);
  applyScheme(scheme);
}
