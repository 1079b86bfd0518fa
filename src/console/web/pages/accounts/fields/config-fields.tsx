import { Area, Choice, Field } from '../../../components/field.tsx';
import { MarkedText } from '../../../components/marked-text.tsx';
import { newSigningSecret } from '../data/new-secret.ts';
import type { ConfigField, ConfigTexts } from './config-schema.ts';
import { SecretField } from './secret-field.tsx';

interface Props {
  fields: readonly ConfigField[];
  texts: ConfigTexts;
  /** Secret fields that the account has. */
  stored?: readonly string[];
  errors: ReadonlyMap<string, string>;
  onChange(texts: ConfigTexts): void;
}

/** The settings of a provider (`provider_config`), one input for each field of its schema. */
export function ConfigFields({ fields, texts, stored = [], errors, onChange }: Props) {
  return fields.map((field) => (
    <OneField
      key={field.name}
      field={field}
      isStored={stored.includes(field.name)}
      error={errors.get(`provider_config.${field.name}`)}
      value={texts[field.name] ?? ''}
      onChange={(text) => onChange({ ...texts, [field.name]: text })}
    />
  ));
}

function OneField(props: {
  field: ConfigField;
  isStored: boolean;
  error: string | undefined;
  value: string;
  onChange(text: string): void;
}) {
  const { field, isStored, error, value, onChange } = props;
  const { name, kind, fallback, required } = field;
  const common = {
    ...{ label: name, error, value, onChange },
    hint: <MarkedText text={field.description} />,
  };
  const none = fallback === '' ? 'Not set' : `Default: ${fallback}`;
  switch (kind) {
    case 'secret':
      return (
        <SecretField
          {...common}
          generate={newSigningSecret}
          placeholder={isStored ? 'Set; leave empty to keep it' : ''}
          required={required && !isStored}
        />
      );
    case 'choice':
      return <Choice {...common} options={[['', none], ...field.choices.map((one) => [one, one] as const)]} />;
    case 'flag':
      return (
        <Choice
          {...common}
          options={[
            ['', none],
            ['true', 'Yes'],
            ['false', 'No'],
          ]}
        />
      );
    case 'json':
      return <Area {...common} rows={4} hint={<>In JSON. {common.hint}</>} />;
    default:
      return (
        <Field
          {...common}
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          placeholder={fallback === '' ? '' : none}
          required={required}
        />
      );
  }
}
