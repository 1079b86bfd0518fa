import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Provider } from '../../../api/types.ts';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { SecretField } from '../fields/secret-field.tsx';
import styles from './guide.module.css';
import { curlCommand, sampleFor, sendSample } from './sample.ts';

interface Props {
  provider: Provider;
  slug: string;
  /** As entered in this page; null after the page was loaded again. */
  secret: string | null;
  /** Whether nothing has arrived yet, so that sending is the main action. */
  isFirst: boolean;
}

/** Sends a first webhook without a provider: from this page, or by a command in a terminal. */
export function SampleWebhook({ provider, slug, secret: known, isFirst }: Props) {
  const [entered, setEntered] = useState('');
  const secret = known ?? entered;
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: async () => {
      const sample = sampleFor(provider, slug, secret);
      if (sample) await sendSample(sample);
    },
    onSuccess: () => announce('The sample was sent.', 'good'),
    onSettled: () => client.invalidateQueries({ queryKey: ['first-webhooks'] }),
  });
  const sample = sampleFor(provider, slug, secret);
  if (!sample) return null;
  const masked = sampleFor(provider, slug, '…') ?? sample;
  return (
    <div className="stack">
      {known === null && (
        <SecretField
          label={provider.secret.label}
          hint="This page no longer has the secret. Paste it to send a sample."
          value={entered}
          onChange={setEntered}
        />
      )}
      <div className="buttons">
        <Button
          tone={isFirst ? 'main' : 'plain'}
          disabled={secret === ''}
          blocked={send.isPending}
          onClick={() => send.mutate()}
        >
          {isFirst ? 'Send a sample webhook' : 'Send another sample'}
        </Button>
      </div>
      {send.error && (
        <div role="alert">
          <Notice tone="bad">{send.error.message}</Notice>
        </div>
      )}
      <details>
        <summary>Send it from a terminal</summary>
        <div className={styles.command}>
          <pre>{curlCommand(masked)}</pre>
          {secret !== '' && <CopyButton text={curlCommand(sample)} label="Copy with the secret" />}
        </div>
      </details>
    </div>
  );
}
