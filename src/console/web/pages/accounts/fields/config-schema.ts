import { isRecord } from '../../../../../shared/is-record.ts';

/** A field of `provider_config` as a form shows it. */
export interface ConfigField {
  name: string;
  kind: 'text' | 'choice' | 'flag' | 'number' | 'secret' | 'json';
  choices: string[];
  description: string;
  /** The value that holds without one of the account; empty if there is none. */
  fallback: string;
  required: boolean;
  /** What can be written, in words: a type, or the allowed values. */
  allowed: string;
}

function kindOf(schema: Record<string, unknown>): ConfigField['kind'] {
  if (schema.writeOnly === true) return 'secret';
  if (Array.isArray(schema.enum)) return 'choice';
  if (schema.type === 'boolean') return 'flag';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  return schema.type === 'string' ? 'text' : 'json';
}

function allowedOf({ enum: choices, type, minimum, maximum }: Record<string, unknown>): string {
  if (Array.isArray(choices)) return choices.join(', ');
  const text = type === 'string' ? 'text' : String(type ?? 'any');
  return minimum === undefined || maximum === undefined ? text : `${text}, ${minimum} to ${maximum}`;
}

/** The fields that a JSON Schema of `provider_config` describes. What the form does not know is edited as JSON. */
export function configFields(schema: Record<string, unknown>): ConfigField[] {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).flatMap(([name, field]) => {
    if (!isRecord(field)) return [];
    return {
      name,
      kind: kindOf(field),
      choices: Array.isArray(field.enum) ? field.enum.map(String) : [],
      description: typeof field.description === 'string' ? field.description : '',
      fallback: field.default === undefined ? '' : String(field.default),
      required: required.includes(name),
      allowed: allowedOf(field),
    };
  });
}

/** What the fields hold, as texts. An empty text stands for no value. */
export type ConfigTexts = Readonly<Record<string, string>>;

type ConfigValue = string | number | boolean | null;

/** A text as the value of its field. What cannot be read stays a text, so that the API says what is wrong with it. */
function readValue({ kind }: ConfigField, text: string): ConfigValue {
  if (kind === 'flag') return text === 'true';
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (kind !== 'json') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The stored values as texts. Secrets are never shown, so theirs are empty. */
export function configTexts(fields: readonly ConfigField[], stored: Readonly<Record<string, unknown>>): ConfigTexts {
  const textOf = (value: unknown) => (isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : String(value));
  return Object.fromEntries(
    fields.map(({ name, kind }) => [name, kind === 'secret' || stored[name] === undefined ? '' : textOf(stored[name])]),
  );
}

/** The fields whose texts differ from `before`, with their values; null removes a field. Undefined if none differs. */
export function configChange(
  fields: readonly ConfigField[],
  texts: ConfigTexts,
  before: ConfigTexts = {},
): Record<string, ConfigValue> | undefined {
  const changed = fields.flatMap((field): [string, ConfigValue][] => {
    const [text, was] = [texts[field.name] ?? '', before[field.name] ?? ''];
    if (text === was) return [];
    return [[field.name, text === '' ? null : readValue(field, text)]];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
