import type { Header } from '../../../providers/inbound-request.ts';

/** What is new in each webhook that is made of a sample. */
export interface SampleContext {
  /** 24 random hexadecimal digits, so that no webhook is a duplicate of another one. */
  id: string;
  at: Date;
}

/** A webhook before it is encoded and signed: `--set` changes its fields. */
export interface SampleContent {
  fields: SampleFields;
  /** Default: `json`. */
  encoding?: 'json' | 'form';
  headers?: Header[];
}

/** JSON. For a form: an object of strings. */
export type SampleFields = Record<string, unknown> | unknown[];

/** The samples of one provider: at most three, each under the event type that the gateway reads from it. */
export interface ProviderSamples {
  provider: string;
  /** The description of the provider that the samples follow. */
  source: string;
  /** The `provider_config` that their signature needs. */
  config?: Record<string, string | number>;
  samples: Readonly<Record<string, (context: SampleContext) => SampleContent>>;
}

/** Seconds since 1970. */
export const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);
