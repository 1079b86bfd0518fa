import { useSettings } from '../../api/settings.ts';
import { Choice } from '../../components/field.tsx';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { counted } from '../../components/number-text.ts';
import { Page, Panel } from '../../components/page.tsx';
import { useFilters } from '../../components/use-filters.ts';
import { FilterField, hasWords } from './filter-field.tsx';
import { SettingRow } from './setting-row.tsx';
import styles from './settings.module.css';
import { type Setting, type Settings, sourceNames } from './sources.ts';

/** The settings of the process that answers, each with where it comes from. */
export function SettingsPage() {
  const { data, error, refetch } = useSettings();
  return (
    <Page title="Settings">
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data && <Loaded {...data} />}
    </Page>
  );
}

function Loaded({ role, settings }: Settings) {
  const [filters, change] = useFilters();
  const { q = '', source = '' } = filters;
  const shown = settings.filter((setting) => (source === '' || setting.source === source) && contains(setting, q));
  return (
    <>
      <p className="intro">
        These are the settings of the process that answered, which has the role <code>{role}</code>. Each process has
        its own. To change one, set the environment variable or the line in <code>.env</code>, and start the process
        again. Secrets are never shown, only where they come from.
      </p>
      <Panel>
        <div className={styles.filters}>
          <FilterField
            label="Search settings"
            placeholder="Search names, values and descriptions"
            value={q}
            onChange={(text) => change({ q: text })}
          />
          <SourceChoice settings={settings} source={source} onChange={(chosen) => change({ source: chosen })} />
          <span className={styles.count} role="status" aria-live="polite">
            {shown.length === settings.length
              ? counted(settings.length, 'setting')
              : `${shown.length} of ${counted(settings.length, 'setting')}`}
          </span>
        </div>
        {shown.length === 0 ? (
          <Empty title="No setting matches">
            <p>Search for a part of its name, such as RETENTION, or choose all sources.</p>
          </Empty>
        ) : (
          <ul>
            {shown.map((setting) => (
              <SettingRow key={setting.name} setting={setting} role={role} />
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}

/** Whether a setting contains all words. Spaces in names of settings are underscores. */
function contains({ name, value, description }: Setting, text: string): boolean {
  return hasWords(`${name} ${name.replaceAll('_', ' ')} ${value ?? ''} ${description}`, text);
}

function SourceChoice(props: { settings: Setting[]; source: string; onChange(source: string): void }) {
  const { settings, source, onChange } = props;
  const options = Object.entries(sourceNames).flatMap(([name, text]): [string, string][] => {
    const count = settings.filter((one) => one.source === name).length;
    return count > 0 || name === source ? [[name, `${text} (${count})`]] : [];
  });
  return <Choice label="From" value={source} options={[['', 'All sources'], ...options]} onChange={onChange} />;
}
