/** A setting of `provider_config`, from its JSON Schema. */
export interface ConfigField {
  name: string;
  isRequired: boolean;
  description: string;
  /** What can be written: a type, or the allowed values. */
  allowed: string;
  /** The default as text, or null without one. */
  defaultText: string | null;
}

type JsonObject = Record<string, unknown>;

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** The settings that the JSON Schema of `provider_config` describes. */
export function configFieldsOf(schema: JsonObject): ConfigField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(objectOf(schema.properties)).map(([name, property]) => {
    const field = objectOf(property);
    return {
      name,
      isRequired: required.includes(name),
      description: typeof field.description === 'string' ? field.description : '',
      allowed: allowedOf(field),
      defaultText: field.default === undefined || field.default === '' ? null : String(field.default),
    };
  });
}

function allowedOf(field: JsonObject): string {
  if (Array.isArray(field.enum)) return field.enum.join(', ');
  const { minimum, maximum } = field;
  const type = field.type === 'string' ? 'text' : String(field.type ?? 'any');
  return minimum === undefined || maximum === undefined ? type : `${type}, ${minimum} to ${maximum}`;
}
