type Subject = { sid: string; state: readonly string[]; noun: string };

/** The subjects of form webhooks, the most specific first: a recording's webhook also contains the SID of the call. */
const subjects: readonly Subject[] = [
  { sid: 'RecordingSid', state: ['RecordingStatus'], noun: 'recording' },
  { sid: 'TranscriptionSid', state: ['TranscriptionStatus', 'TranscriptionEvent'], noun: 'transcription' },
  { sid: 'StreamSid', state: ['StreamEvent'], noun: 'stream' },
  { sid: 'ConferenceSid', state: ['StatusCallbackEvent'], noun: 'conference' },
  { sid: 'RoomSid', state: ['StatusCallbackEvent'], noun: 'room' },
  { sid: 'MessageSid', state: ['MessageStatus', 'SmsStatus'], noun: 'message' },
  { sid: 'SmsSid', state: ['SmsStatus'], noun: 'message' },
  { sid: 'CallSid', state: ['CallStatus'], noun: 'call' },
];

/**
 * The SIDs of webhooks with an `EventType`: first that of the event (TaskRouter, error logs), then those of subjects.
 */
const otherSids = ['Sid', 'MessageSid', 'ConversationSid', 'TaskSid', 'CallSid'];

/**
 * The type of a Twilio form webhook, such as `message.delivered`, and the SID of its subject.
 *
 * Source: https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
 */
export function formEvent(form: URLSearchParams): { type: string | null; sid: string | null } {
  const eventType = form.get('EventType');
  // Status callbacks of WhatsApp and RCS have both: `EventType=READ` beside `MessageStatus=read`.
  if (eventType && !form.get('MessageStatus')) return { type: eventType, sid: firstOf(form, otherSids) };
  for (const { sid, state, noun } of subjects) {
    const value = form.get(sid);
    const now = firstOf(form, state);
    if (value && now) return { type: `${noun}.${withoutNoun(now, noun)}`, sid: value };
  }
  return { type: null, sid: firstOf(form, [...subjects.map(({ sid }) => sid), ...otherSids]) };
}

/** Removes the subject from states that begin with it, such as `conference-start`. */
function withoutNoun(state: string, noun: string): string {
  return state.startsWith(`${noun}-`) ? state.slice(noun.length + 1) : state;
}

function firstOf(form: URLSearchParams, names: readonly string[]): string | null {
  for (const name of names) {
    const value = form.get(name);
    if (value) return value;
  }
  return null;
}
