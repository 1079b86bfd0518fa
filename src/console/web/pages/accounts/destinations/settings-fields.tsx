import { useId } from 'react';
import fields from '../../../components/field.module.css';
import { Field } from '../../../components/field.tsx';
import styles from './destinations.module.css';
import type { Draft } from './draft.ts';

interface Props {
  draft: Draft;
  /** Whether a secret is stored that an empty field keeps. */
  hasSecret: boolean;
  change(part: Partial<Draft>): void;
}

/** The fields of the chosen type. */
export function SettingsFields(props: Props) {
  switch (props.draft.type) {
    case 'webhook':
      return <WebhookFields {...props} />;
    case 'email':
      return <EmailFields {...props} />;
    case 'chat_one':
    case 'chat_two':
      return <ChatFields {...props} />;
  }
}

function WebhookFields({ draft, hasSecret, change }: Props) {
  return (
    <>
      <Field
        label="URL"
        type="url"
        required
        maxLength={500}
        placeholder="https://ops.example.com/alerts"
        value={draft.url}
        hint={draft.url.includes('[masked]') ? '[masked] keeps the stored user and password.' : undefined}
        onChange={({ target }) => change({ url: target.value })}
      />
      <Field
        label="Secret"
        type="password"
        autoComplete="new-password"
        maxLength={1000}
        disabled={draft.removesSecret}
        value={draft.secret}
        hint={
          hasSecret
            ? 'A secret is stored and never shown. An empty field keeps it.'
            : 'Optional. With it, messages are signed as Standard Webhooks.'
        }
        onChange={({ target }) => change({ secret: target.value })}
      />
      {hasSecret && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={draft.removesSecret}
            onChange={({ target }) => change({ removesSecret: target.checked, secret: '' })}
          />
          Remove the stored secret
        </label>
      )}
    </>
  );
}

function EmailFields({ draft, change }: Props) {
  const id = useId();
  return (
    <>
      <div className={fields.field}>
        <label htmlFor={id}>Addresses</label>
        <textarea
          id={id}
          className={styles.addresses}
          required
          rows={3}
          spellCheck={false}
          placeholder="on-call@example.com"
          aria-describedby={`${id}-hint`}
          value={draft.addresses}
          onChange={({ target }) => change({ addresses: target.value })}
        />
        <span id={`${id}-hint`} className={fields.hint}>
          One on each line, at most 50.
        </span>
      </div>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={draft.includePayload}
          onChange={({ target }) => change({ includePayload: target.checked })}
        />
        Attach the payload of the event
      </label>
    </>
  );
}

function ChatFields({ draft, change }: Props) {
  const isSlack = draft.type === 'chat_one';
  return (
    <Field
      label="Webhook URL"
      type="url"
      required
      maxLength={500}
      placeholder={isSlack ? 'https://hooks.slack.com/services/…' : 'https://discord.com/api/webhooks/…'}
      value={draft.webhookUrl}
      hint={`The incoming webhook of the ${isSlack ? 'Slack channel, or of a service that accepts the messages of Slack' : 'Discord channel'}. Anyone who knows it can post there.`}
      onChange={({ target }) => change({ webhookUrl: target.value })}
    />
  );
}
