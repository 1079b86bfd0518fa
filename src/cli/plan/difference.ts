import { isRecord } from '../../shared/is-record.ts';
import type { Wanted } from './check.ts';
import { type Current, opened } from './current.ts';
import { defaults, type Kind, openedFields, secretOfAuthentication, secretPaths, urlPaths } from './fields.ts';
import type { FieldChange, UnsetReference } from './plan.ts';
import { isSame, shownUrl, urlDifference } from './same.ts';

/** What is compared. */
export interface Pair {
  kind: Kind;
  /** `provider/slug`. */
  account: string;
  provider: string;
  wanted: Wanted;
  /** Null: it does not exist yet. */
  current: Current | null;
}

/** A change that depends on a secret: it is made if the stored secret is another one. */
export interface Candidate {
  /** In the body of a comparison, within the object: `secret`, or `provider_config.x`. */
  path: string;
  value: string;
  change: FieldChange;
}

export interface Difference {
  changes: FieldChange[];
  candidates: Candidate[];
  unset: UnsetReference[];
}

/** How an object of the file differs from that of the gateway, without its secrets: these are `candidates`. */
export function differenceOf(pair: Pair): Difference {
  const { kind, wanted, current, provider } = pair;
  const found: Difference = { changes: [], candidates: [], unset: [] };
  const secrets = secretPaths(kind, provider);
  const ofFile = opened(kind, wanted.fields);
  const inFile = ofFile.map(([path]) => path);
  const fields = new Map<string, unknown>([...Object.entries(defaults[kind]), ...ofFile]);
  const unsetIn = (field: string) => unsetPaths(wanted).filter((path) => fieldOf(kind, path) === field);
  const missing = new Set(unsetPaths(wanted).map((path) => fieldOf(kind, path)));
  // One reference in place of `config` stands for all that is in it.
  const isMissing = (path: string) => missing.has(path) || missing.has(path.split('.')[0] ?? '');
  if (isOtherType(pair)) return wholeDestination(pair);
  for (const path of new Set([...inFile, ...missing, ...fields.keys(), ...Object.keys(current?.fields ?? {})])) {
    const value = fields.get(path);
    if (path === openedFields[kind] && !missing.has(path)) continue;
    if (path === 'authentication' && !unsetPaths(wanted).includes(path)) authentication(pair, unsetIn(path), found);
    else if (isMissing(path)) found.unset.push(...unsetIn(path).map((at) => unset(pair, at, current === null)));
    else if (secrets.includes(path)) secret(pair, path, value, found);
    else if (urlPaths[kind].includes(path) && typeof value === 'string') url(pair, path, value, found);
    else plain(pair, path, value ?? null, found);
  }
  return found;
}

/** The paths of the references that are not set. */
const unsetPaths = ({ references }: Wanted): string[] =>
  [...references].flatMap(([path, { value }]) => (value === undefined ? [path] : []));

/** The field with a value in it: `headers` for `headers.x-team`, but `config.url` for itself. */
function fieldOf(kind: Kind, path: string): string {
  const [first = '', second] = path.split('.');
  return first === openedFields[kind] && second !== undefined ? `${first}.${second}` : first;
}

/** A secret of the file. One that the file does not name stays as it is. */
function secret({ current, wanted }: Pair, path: string, value: unknown, found: Difference): void {
  const isSet = current?.secrets.has(path) === true;
  const change = { field: path, before: null, secret: true, send: value };
  if (value === undefined || (value === null && !isSet)) return;
  if (typeof value !== 'string') {
    found.changes.push({ ...change, after: null });
    return;
  }
  const changed = { ...change, after: wanted.references.get(path)?.text ?? null };
  if (isSet)
    found.candidates.push({ path: path.replace(/^config\./, ''), value, change: { ...changed, replaces: true } });
  else found.changes.push(changed);
}

function url({ current, wanted }: Pair, path: string, value: string, found: Difference): void {
  const before = current?.fields[path] ?? null;
  const after = wanted.references.get(path)?.text ?? shownUrl(value);
  const change = { field: path, before, after, secret: false, send: value };
  const difference = urlDifference(value, before);
  if (difference === 'differs') found.changes.push(change);
  if (difference === 'secret')
    found.candidates.push({
      path: path.replace(/^config\./, ''),
      value,
      change: { ...change, secret: true, replaces: true },
    });
}

function plain({ kind, current, wanted }: Pair, path: string, value: unknown, found: Difference): void {
  // What a new object does not send has its default.
  const before = current?.fields[path] ?? defaults[kind][path] ?? null;
  // `headers: null` and `headers: {}` are the same.
  if (isSame(path, value ?? defaults[kind][path] ?? null, before)) return;
  const after = wanted.references.get(path)?.text ?? value;
  found.changes.push({ field: path, before: current ? before : null, after, secret: false, send: value });
}

/**
 * An authentication is sent as a whole. What is not set is taken from the stored one, which shows all but its secret: a
 * change of something else needs the secret only.
 */
function authentication(pair: Pair, missing: readonly string[], found: Difference): void {
  const { current, wanted } = pair;
  const shown = current?.fields.authentication ?? null;
  const names = missing.map((at) => at.replace(/^authentication\./, ''));
  const value = withStored(wanted.fields.authentication ?? null, shown, names);
  const before = withoutSecret(shown);
  const after = withoutSecret(value);
  const isOther = !isSame('authentication', after, before);
  const change = { field: 'authentication', before, after, secret: false, send: value };
  const type = isRecord(value) ? String(value.type) : '';
  const path = secretOfAuthentication[type] ?? '';
  const isKnown = (name = '') => isRecord(value) && name in value;
  found.unset.push(...missing.map((at, n) => unset(pair, at, isOther && !isKnown(names[n]))));
  if (isOther) found.changes.push(change);
  else if (isRecord(value) && typeof value[path] === 'string')
    found.candidates.push({ path, value: value[path], change: ofSecret(pair, path, change) });
}

/** An authentication with what the stored one shows under these names, if it is of the same type. */
function withStored(wanted: unknown, shown: unknown, names: readonly string[]): unknown {
  if (!isRecord(wanted) || !isRecord(shown) || (wanted.type ?? shown.type) !== shown.type) return wanted;
  const kept = names.filter((name) => name in shown).map((name) => [name, shown[name]]);
  return { ...Object.fromEntries(kept), ...wanted };
}

const ofSecret = ({ wanted }: Pair, path: string, change: FieldChange): FieldChange => ({
  ...{ ...change, secret: true, replaces: true },
  after: wanted.references.get(`authentication.${path}`)?.text ?? null,
});

/** What is shown of an authentication. */
function withoutSecret(given: unknown): unknown {
  if (!isRecord(given)) return null;
  const { [secretOfAuthentication[String(given.type)] ?? '']: _secret, subject: _, expires_at: __, ...shown } = given;
  return given.type === 'oauth2' ? { client_auth: 'basic', ...shown } : shown;
}

/** Whether a destination becomes one of another type, which needs a complete config. */
const isOtherType = ({ kind, wanted, current }: Pair) =>
  kind === 'destination' &&
  current !== null &&
  wanted.fields.destination_type !== undefined &&
  wanted.fields.destination_type !== current.fields.destination_type;

function wholeDestination(pair: Pair): Difference {
  const { current, wanted } = pair;
  const fresh = differenceOf({ ...pair, current: null });
  const others = differenceOf({
    ...pair,
    wanted: { ...wanted, fields: { ...wanted.fields, destination_type: current?.fields.destination_type, config: {} } },
  });
  const isOfConfig = ({ field }: { field: string }) => field.split('.')[0] === 'config';
  return {
    candidates: [],
    // Only the config is new.
    unset: [...others.unset.filter((one) => !isOfConfig(one)), ...fresh.unset.filter(isOfConfig)],
    changes: [
      ...others.changes.filter((one) => !isOfConfig(one)),
      ...fresh.changes
        .filter(({ field }) => field === 'destination_type' || field.startsWith('config.'))
        .map((change) => ({ ...change, before: current?.fields[change.field] ?? null })),
    ],
  };
}

const unset = ({ kind, account, wanted }: Pair, field: string, needed: boolean): UnsetReference => ({
  ...{ account, kind, name: wanted.name, field, needed },
  reference: wanted.references.get(field)?.text ?? '',
});
