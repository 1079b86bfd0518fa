import { Badge } from '../../components/badge.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import styles from './settings.module.css';
import { isSet, isUsedBy, type Setting, sourceNames } from './sources.ts';

/** A setting with its value and where it comes from. */
export function SettingRow({ setting, role }: { setting: Setting; role: string }) {
  const { name, description, roles } = setting;
  return (
    <li className={styles.row}>
      <div>
        <code className={styles.name}>{name}</code>
        <p className="aside">
          <Source setting={setting} />
        </p>
      </div>
      <div>
        <Value setting={setting} />
      </div>
      <p>
        <MarkedText text={description} />{' '}
        <span className="aside">
          Used by {roles.join(', ')}
          {isUsedBy(role, setting) ? '.' : ', not by this process.'}
        </span>
      </p>
    </li>
  );
}

function Source({ setting }: { setting: Setting }) {
  const name = sourceNames[setting.source];
  return isSet(setting) ? <Badge state="set" label={name} /> : <span>{name}</span>;
}

function Value({ setting }: { setting: Setting }) {
  const { value, secret } = setting;
  if (value !== null)
    return (
      <code>
        <bdi>{value}</bdi>
      </code>
    );
  if (!isSet(setting)) return <span className="aside">–</span>;
  return <span className="aside">{secret ? 'secret, never shown' : 'chosen when the gateway starts'}</span>;
}
