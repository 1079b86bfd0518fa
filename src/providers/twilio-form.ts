type Subject = { sid: string; state: readonly string[]; noun: string };

/** What form webhooks are about, the most particular first: a recording's webhook names the call as well. */
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

/** SIDs of webhooks that say in `EventType` what they are: of the event itself (TaskRouter, error logs), else of its subject. */
const otherSids = ['Sid', 'MessageSid', 'ConversationSid', 'TaskSid', 'CallSid'];

/** What a form webhook of Twilio is, as in `message.delivered`, and the SID of what it is about. */
export function formEvent(form: URLSearchParams): { type: string | null; sid: string | null } {
  const eventType = form.get('EventType');
  if (eventType) return { type: eventType, sid: firstOf(form, otherSids) };
  for (const { sid, state, noun } of subjects) {
    const value = form.get(sid);
    const now = firstOf(form, state);
    if (value && now) return { type: `${noun}.${withoutNoun(now, noun)}`, sid: value };
  }
  return { type: null, sid: firstOf(form, [...subjects.map(({ sid }) => sid), ...otherSids]) };
}

/** Some states begin with what they are of, as in `conference-start`. */
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
