/** Headers that one product or convention sets, and that services behind it trust. */
export interface ProxyHeaders {
  /** In lower case; a final `*` matches any rest. */
  names: readonly string[];
  /** The software that trusts these headers, and what they tell it. */
  believedBy: string;
  /** The public page that documents them. */
  source: string;
}
