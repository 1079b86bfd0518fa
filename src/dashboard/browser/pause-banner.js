import { call } from './api.js';
import { make, moment } from './dom.js';
import { showBanner } from './screen.js';

/**
 * Shows a banner above the page while deliveries are paused. The page is correct without it, so a failure leaves the
 * banner unchanged and is not shown.
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
    '. Webhooks are accepted and stored, but not delivered. ',
    make('code', {}, 'POST /admin/delivery/resume'),
    ' resumes deliveries.',
  );
  return make('p', { class: 'notice open' }, text);
}
