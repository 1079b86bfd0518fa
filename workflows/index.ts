export { deliverEvent } from './deliver-event.ts';
