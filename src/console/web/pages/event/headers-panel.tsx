import type { EventDetails } from '../../api/types.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { counted } from '../../components/number-text.ts';
import { Panel, ScrollTable } from '../../components/page.tsx';

/** The headers of the webhook, in the order received. */
export function HeadersPanel({ event }: { event: EventDetails }) {
  const { headers, headers_truncated } = event;
  const text = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return (
    <Panel
      title={`${counted(headers.length, 'header')}${headers_truncated ? ', others are not stored' : ''}`}
      actions={<CopyButton text={text} label="Copy headers" />}
    >
      <ScrollTable label="Headers" columns={['Name', 'Value']}>
        {headers.map(([name, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name may come twice, and the list never changes
          <tr key={index}>
            <td>
              <code>{name}</code>
            </td>
            <td>
              <code>
                <bdi>{value}</bdi>
              </code>
            </td>
          </tr>
        ))}
      </ScrollTable>
    </Panel>
  );
}
