import { token } from './api.js';
import { openEvent } from './event-page.js';
import { openList } from './list-page.js';
import { openProviders } from './providers-page.js';
import { askForToken, listenForToken } from './screen.js';

// As it stands in the address, encoded; it goes into the API's address like that.
const id = /^\/dashboard\/events\/([^/]+)/.exec(location.pathname)?.[1];
const open = () => {
  if (/^\/dashboard\/providers\/?$/.test(location.pathname)) return openProviders();
  return id === undefined ? openList() : openEvent(id);
};

listenForToken(open);
if (token.get() === null) askForToken(null);
else open();

// A page that the browser kept for "back" is from before the sign-out.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && token.get() === null) askForToken(null);
});
