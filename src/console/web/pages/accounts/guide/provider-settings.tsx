import { ConfigFields } from '../fields/config-fields.tsx';
import type { ConfigField, ConfigTexts } from '../fields/config-schema.ts';
import fieldStyles from '../fields/fields.module.css';

/** From this many on, the settings describe how the sender works, so that most of them are needed. */
const manySettings = 4;

/** The settings of a provider in the guide. Those that most users leave as they are can be opened. */
export function ProviderSettings(props: {
  fields: readonly ConfigField[];
  /** Settings with a recommended value. */
  preset: readonly string[];
  texts: ConfigTexts;
  errors: ReadonlyMap<string, string>;
  onChange(texts: ConfigTexts): void;
}) {
  const { fields, preset, ...rest } = props;
  const isNeeded = ({ name, kind, required }: ConfigField) => required || kind === 'secret' || preset.includes(name);
  const optional = fields.length < manySettings ? fields.filter((field) => !isNeeded(field)) : [];
  const needed = fields.filter((field) => !optional.includes(field));
  const hasError = optional.some(({ name }) => props.errors.has(`provider_config.${name}`));
  return (
    <>
      {needed.length > 0 && (
        <div className={fieldStyles.pair}>
          <ConfigFields fields={needed} {...rest} />
        </div>
      )}
      {optional.length > 0 && (
        <details open={hasError || undefined}>
          <summary>Optional settings</summary>
          <div className={fieldStyles.pair}>
            <ConfigFields fields={optional} {...rest} />
          </div>
        </details>
      )}
    </>
  );
}
