import { token } from './api.js';
import { openEvent } from './event-page.js';
import { openList } from './list-page.js';
import { openProviders } from './providers-page.js';
import { askForToken, listenForToken } from './screen.js';

// Percent-encoded as in the URL, and used in the URL of the API without decoding.
const id = /^\/dashboard\/events\/([^/]+)/.exec(location.pathname)?.[1];
const open = () => {
  if (/^\/dashboard\/providers\/?$/.test(location.pathname)) return openProviders();
  return id === undefined ? openList() : openEvent(id);
};

listenForToken(open);
if (token.get() === null) askForToken(null);
else open();

// A page from the browser's back/forward cache may be older than the sign-out.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && token.get() === null) askForToken(null);
});
