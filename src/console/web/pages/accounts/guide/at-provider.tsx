import type { Provider } from '../../../api/types.ts';
import { Notice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { isLocal, shortTitle } from './addresses.ts';
import styles from './guide.module.css';
import { stepsOf } from './provider-steps.ts';
import { StepText } from './step-text.tsx';

/** Senders that mostly run in the user's own network. */
const ownSenders = ['generic', 'hmac', 'standard', 'support_chat'];

/** What to do at the provider, before and after the account is created. */
export function AtProvider(props: { provider: Provider; address: string; phase: 'before' | 'after' }) {
  const { provider, address, phase } = props;
  const { before, after } = stepsOf(provider.name);
  const title = ownSenders.includes(provider.name) ? 'At the sender' : `At ${shortTitle(provider)}`;
  return (
    <Panel title={title}>
      <div className="panels">
        {isLocal(address) && !ownSenders.includes(provider.name) && (
          <Notice tone="open">
            <span>
              The address is one of your own network, which {shortTitle(provider)} cannot reach. Set{' '}
              <code>PUBLIC_URL</code> to the public address of the gateway, or use a tunnel.
            </span>
          </Notice>
        )}
        {before.length > 0 && (
          <Steps title="Before you create the account" steps={before} address={address} current={phase === 'before'} />
        )}
        <Steps title="After the account is created" steps={after} address={address} current={phase === 'after'} />
        <p className="aside">
          More in <code>{provider.documentation}</code>.
        </p>
      </div>
    </Panel>
  );
}

function Steps(props: { title: string; steps: readonly string[]; address: string; current: boolean }) {
  return (
    <section className={styles.phase} data-current={props.current}>
      <h3>{props.title}</h3>
      <ol className="numbered">
        {props.steps.map((step) => (
          <li key={step}>
            <StepText text={step} address={props.address} />
          </li>
        ))}
      </ol>
    </section>
  );
}
