import type { FieldError } from '../shared/plain-words.ts';
import { httpUrl } from '../shared/text-rules.ts';

/** Whether deliveries may go to an address, as the guard of deliveries says (src/delivery/connections/address-guard.ts). */
export interface AddressRules {
  /** Why a URL with a literal IP address is refused; null when it is not, or has a name. */
  refusal(url: string): string | null;
  /**
   * As `refusal`, also for a name that now resolves to refused addresses only. Null while that is not known: name servers
   * may be slow, and answer otherwise tomorrow.
   */
  warning(url: string): Promise<string | null>;
}

/** The schema of a URL for deliveries. */
export const deliveryUrl = ({ refusal }: Pick<AddressRules, 'refusal'>) =>
  httpUrl
    .superRefine((url, context) => {
      const message = refusal(url);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .meta({ format: 'uri' });

/** A warning for each URL to which nothing can be delivered at this moment. */
export async function addressWarnings(
  rules: Pick<AddressRules, 'warning'>,
  urls: Readonly<Record<string, string | null>>,
): Promise<FieldError[]> {
  const judged = await Promise.all(
    Object.entries(urls).map(async ([path, url]) => ({
      path,
      message: url === null ? null : await rules.warning(url),
    })),
  );
  return judged.flatMap(({ path, message }) => (message === null ? [] : [{ path, message }]));
}
