import { newSigningSecret } from '../data/new-secret.ts';
import type { ConfigField, ConfigTexts } from './config-schema.ts';
import { PlainText } from './plain-text.tsx';
import { SecretField } from './secret-field.tsx';
import { AreaField, SelectField, TextField } from './text-field.tsx';

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
    hint: <PlainText text={field.description} />,
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
      return <SelectField {...common} options={[['', none], ...field.choices.map((one) => [one, one] as const)]} />;
    case 'flag': {
      const options = [
        ['', none],
        ['true', 'Yes'],
        ['false', 'No'],
      ] as const;
      return <SelectField {...common} options={options} />;
    }
    case 'json':
      return <AreaField {...common} hint={<>In JSON. {common.hint}</>} />;
    default:
      return (
        <TextField
          {...common}
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          placeholder={fallback === '' ? '' : none}
          required={required}
        />
      );
  }
}
