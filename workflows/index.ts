export { deliverEvent } from './deliver-event.ts';
export { upkeep } from './maintenance.ts';
