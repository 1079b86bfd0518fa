import { Link } from '@tanstack/react-router';
import type { Provider } from '../../../api/types.ts';
import { Panel } from '../../../components/page.tsx';
import { shortTitle } from './addresses.ts';
import styles from './choose-provider.module.css';
import { stepsOf } from './provider-steps.ts';

/** The provider with which a first event needs no account at another service. */
const quickest = 'generic';

/** Which service sends the webhooks? */
export function ChooseProvider({ providers }: { providers: readonly Provider[] }) {
  const others = providers
    .filter(({ name }) => name !== quickest)
    .sort((one, other) => one.title.localeCompare(other.title));
  const first = providers.find(({ name }) => name === quickest);
  return (
    <Panel title="Who sends the webhooks?">
      <ul className={styles.choices}>
        {(first ? [first, ...others] : others).map((provider) => (
          <li key={provider.name} className={provider.name === quickest ? styles.first : undefined}>
            <Link to="/accounts" search={{ new: provider.name }} className={styles.choice}>
              <strong>{shortTitle(provider)}</strong>
              <span>{stepsOf(provider.name).about}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
