/** What an operator did with an event, by the action of the audit log. */
const texts = new Map([
  ['event.replay', 'replayed it'],
  ['event.ack', 'acknowledged it'],
  ['event.fail', 'marked it failed or dead'],
  ['delivery.retry', 'ordered an attempt'],
]);

export const operatorText = (action: string): string => texts.get(action) ?? `did ${action}`;
