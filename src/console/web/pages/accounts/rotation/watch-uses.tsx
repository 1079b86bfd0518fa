import { Notice } from '../../../components/notice.tsx';
import { progressOf, type SecretUses } from './secret-use.ts';
import type { NewPlace } from './use-rotation.ts';
import { UsesTable } from './uses-table.tsx';

const words = {
  none: 'No webhook has arrived since the secrets were saved.',
  old: 'Webhooks still use the old secret only.',
  both: 'Webhooks use both secrets. The latest one used the old secret.',
  new: 'The latest webhook used the new secret.',
} as const;

/** Which secret the latest webhooks used, during a rotation. */
export function WatchUses({ uses, place }: { uses: SecretUses; place: NewPlace }) {
  const progress = progressOf(uses, place);
  return (
    <>
      <div role="status">
        <Notice tone={progress === 'new' ? 'good' : progress === 'none' ? 'calm' : 'open'}>{words[progress]}</Notice>
      </div>
      <UsesTable uses={uses} newPlace={place} />
    </>
  );
}
