import { Area, Check, Field } from '../../../components/field.tsx';
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
        onChange={(url) => change({ url })}
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
        onChange={(secret) => change({ secret })}
      />
      {hasSecret && (
        <Check
          label="Remove the stored secret"
          checked={draft.removesSecret}
          onChange={(removesSecret) => change({ removesSecret, secret: '' })}
        />
      )}
    </>
  );
}

function EmailFields({ draft, change }: Props) {
  return (
    <>
      <Area
        label="Addresses"
        required
        rows={3}
        placeholder="on-call@example.com"
        value={draft.addresses}
        hint="One on each line, at most 50."
        onChange={(addresses) => change({ addresses })}
      />
      <Check
        label="Attach the payload of the event"
        checked={draft.includePayload}
        onChange={(includePayload) => change({ includePayload })}
      />
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
      onChange={(webhookUrl) => change({ webhookUrl })}
    />
  );
}
