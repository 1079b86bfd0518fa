/** Shows a message for a moment; screen readers announce it. Set by the shell. */
let show: (message: string, tone: Tone) => void = () => undefined;

export type Tone = 'calm' | 'good' | 'bad';

/** Shows a message for a moment; screen readers announce it. */
export function announce(message: string, tone: Tone = 'calm'): void {
  show(message, tone);
}

/** Sets what shows messages. */
export function onAnnounce(listener: typeof show): void {
  show = listener;
}
