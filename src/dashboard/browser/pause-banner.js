import { call } from './api.js';
import { make, moment } from './dom.js';
import { showBanner } from './screen.js';

/**
 * Says above the page that deliveries are paused, if they are. What a page shows is right without it, so a failure only
 * leaves the banner as it was.
 */
export async function openPauseBanner() {
  /** @type {import('./api.js').Answer<import('./api.js').DeliveryStats>} */
  const answer = await call('GET', '/admin/delivery/stats');
  if (!answer.ok) return console.warn(answer.problem);
  const { paused } = answer.data;
  showBanner(paused && banner(paused));
}

/** @param {NonNullable<import('./api.js').DeliveryStats['paused']>} pause */
function banner({ since, reason }) {
  const text = make(
    'span',
    {},
    make('strong', {}, 'Deliveries are paused'),
    ' since ',
    moment(since),
    reason && `: ${reason}`,
    '. Events are accepted and wait. ',
    make('code', {}, 'POST /admin/delivery/resume'),
    ' lets them go on.',
  );
  return make('p', { class: 'notice open' }, text);
}
