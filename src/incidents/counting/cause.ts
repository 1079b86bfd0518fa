/** Longer causes are cut: the beginning of an error tells what it is. */
const longest = 200;
/** Characters of an answer that are looked at: answers are long, and failures come in bursts. */
const mostRead = 600;

/** The outcome of a failed attempt, as far as it tells the cause. The texts are those that are recorded, without secrets. */
export interface FailedOutcome {
  outcome: string;
  responseCode: number | null;
  responseBody: string | null;
  error: string | null;
}

const uuids = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** Hexadecimal ids, and words of ids such as `evt_1NG8Du2eZvKYlo2C`: long ones with a digit. */
const ids = /\b(?=\w*\d)(?:[0-9a-f]{8,}|\w{16,})\b/gi;
const digits = /\d+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an answer may contain them, and a cause is shown as text
const blanks = /[\s\u0000-\u001f\u007f]+/g;

/** The first line with a text, in which `#` stands for what differs from one failure to the next. */
function firstLine(text: string | null): string {
  const line =
    (text ?? '')
      .slice(0, mostRead)
      .trimStart()
      .split(/[\r\n]/, 1)[0] ?? '';
  return line.replace(uuids, '#').replace(ids, '#').replace(digits, '#').replace(blanks, ' ').trim();
}

/**
 * Why an attempt failed, the same for failures that an engineer would call the same: the status with the first line of
 * the answer, or the name of the outcome with its error.
 */
export function causeOf({ outcome, responseCode, responseBody, error }: FailedOutcome): string {
  const isAnswer = responseCode !== null;
  const name = isAnswer ? String(responseCode) : outcome;
  return `${name} ${firstLine(isAnswer ? responseBody : error)}`.trim().slice(0, longest);
}
