import type { Kind } from './fields.ts';

/** A field that changes. */
export interface FieldChange {
  /** Such as `config.url`. */
  field: string;
  /** As people see it; null for a secret. */
  before: unknown;
  after: unknown;
  secret: boolean;
  /** What is sent to the gateway. Never shown. */
  send: unknown;
  /** Of a secret: another one is stored. */
  replaces?: boolean;
}

/** A reference that is not set. */
export interface UnsetReference {
  account: string;
  kind: Kind;
  name: string;
  field: string;
  /** Such as `${env:NAME}`. */
  reference: string;
  /** Without it the step cannot be done: the object is new, or the field is sent as a whole. Otherwise nothing changes. */
  needed: boolean;
}

/** What becomes of one account, consumer or destination. */
export interface Step {
  action: 'create' | 'update' | 'delete';
  kind: Kind;
  /** `provider/slug`. */
  account: string;
  /** That of an account is its `provider/slug`. */
  name: string;
  /** Null: it does not exist yet. */
  id: string | null;
  changes: FieldChange[];
  /** Deliveries are signed with a key of ed25519, so that no replaced secret has to sign for a time. */
  signsWithKey: boolean;
}

/** The steps in the order in which they are made. */
export interface Plan {
  steps: Step[];
  unset: UnsetReference[];
}
