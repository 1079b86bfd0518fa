import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { fetchPayload } from '../../../api/payload.ts';
import type { EventDetails } from '../../../api/types.ts';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { CodeView } from '../../../components/code/code-view.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Notice, ProblemNotice } from '../../../components/notice.tsx';
import { byteText } from '../../../components/number-text.ts';
import { Panel } from '../../../components/page.tsx';
import { saveAs } from '../../../components/save-as.ts';
import { Segments } from '../../../components/segments.tsx';
import { curlCommand, payloadFile } from './curl.ts';
import styles from './payload.module.css';
import { prettyText, rawText } from './payload-text.ts';

type View = 'pretty' | 'raw' | 'curl';
const views: [View, string][] = [
  ['pretty', 'Pretty'],
  ['raw', 'As received'],
  ['curl', 'curl'],
];

/** The payload of an event, pretty or as received, and a command that sends it again. */
export function PayloadPanel({ event }: { event: EventDetails }) {
  const [view, setView] = useState<View>('pretty');
  const bytes = useQuery({
    queryKey: ['payload', event.id],
    queryFn: () => fetchPayload(event.id),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // The API's parsed value has lost digits of long numbers. It only says whether the payload is JSON.
  const isJson = typeof event.payload !== 'string';
  const pretty = useMemo(() => (bytes.data ? prettyText(bytes.data, isJson) : null), [bytes.data, isJson]);
  const raw = useMemo(() => (bytes.data ? rawText(bytes.data) : null), [bytes.data]);
  const command = () => curlCommand(event, location.origin, raw?.kind === 'text' ? raw.text : null);
  const texts = { pretty, raw, curl: raw && { kind: 'text' as const, text: command() } };
  const shown = texts[view];
  return (
    <Panel
      title={`Payload (${pretty ? `${pretty.kind}, ` : ''}${byteText(event.payload_bytes)})`}
      actions={
        <>
          <Segments legend="How the payload is shown" options={views} chosen={view} onChoose={setView} />
          {shown && <CopyButton text={shown.text} label={view === 'curl' ? 'Copy as curl' : 'Copy payload'} />}
          <Button tone="quiet" onClick={() => void download(event)}>
            Download
          </Button>
        </>
      }
    >
      {event.payload_truncated && <Notice tone="open">Only the beginning of the payload is stored.</Notice>}
      {view === 'curl' && (
        <p className={styles.aside}>
          Sends this webhook to the gateway again. Values that are [masked] are secrets: fill them in. The gateway
          recognizes it as a duplicate for 24 hours.
        </p>
      )}
      {bytes.error && <ProblemNotice error={bytes.error} retry={() => void bytes.refetch()} />}
      {shown && <CodeView label="Payload" text={shown.text} isJson={shown.kind === 'JSON'} />}
    </Panel>
  );
}

async function download(event: EventDetails): Promise<void> {
  try {
    saveAs(payloadFile(event), await fetchPayload(event.id));
  } catch (error) {
    announce(error instanceof Error ? error.message : String(error), 'bad');
  }
}
