import { rejectionReasons } from '../providers/provider.ts';

const sentences = new Map<string, string>(Object.entries(rejectionReasons));

/**
 * Why a webhook was rejected, as a sentence.
 *
 * @param detail the sentence with the numbers of this webhook; null: the reason says everything.
 */
export const rejectionSentence = (reason: string, detail: string | null): string =>
  // A reason of another release has no sentence here.
  detail ?? sentences.get(reason) ?? reason;
