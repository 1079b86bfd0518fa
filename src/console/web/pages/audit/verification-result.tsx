import { CopyButton } from '../../components/copy-button.tsx';
import { Notice } from '../../components/notice.tsx';
import { numberText } from '../../components/number-text.ts';
import styles from './audit.module.css';
import type { Verification } from './audit-types.ts';

type Failure = NonNullable<Verification['failure']>;

/** What a verification found, and what it means. */
export function VerificationResult({ found, isCompared }: { found: Verification; isCompared: boolean }) {
  const { ok, checked, unsealed, head, anchor, failure } = found;
  return (
    <div className={`stack ${styles.result}`}>
      <Notice tone={ok ? 'good' : 'bad'}>
        <div>
          <strong>{ok ? 'The log is intact.' : 'The log is not intact.'}</strong>{' '}
          {ok ? <Intact checked={checked} isCompared={isCompared} /> : failure && <Broken failure={failure} />}
        </div>
      </Notice>
      {unsealed > 0 && ok && (
        <p className="aside">
          {numberText(unsealed)} of the newest entries {unsealed === 1 ? 'is' : 'are'} not sealed yet. That happens
          within a second or so, and is no fault.
        </p>
      )}
      {anchor && (
        <p className="aside">
          Entries up to number {numberText(anchor.seq)} were purged; the chain verifies from there.
        </p>
      )}
      {ok && head && (
        <div>
          <p>
            <strong>Note this head in another place than the database.</strong> Compare it later: only then a
            verification finds out that the newest entries were cut off, or that an older state was put back.
          </p>
          <div className="line">
            <code>
              {head.seq}:{head.seal}
            </code>
            <CopyButton text={`${head.seq}:${head.seal}`} label="Copy the head" />
          </div>
        </div>
      )}
    </div>
  );
}

const Intact = ({ checked, isCompared }: { checked: number; isCompared: boolean }) => (
  <>
    {numberText(checked)} sealed entries were checked: none was changed or is missing, and all were written by the
    gateway.
    {isCompared && ' The chain contains the head that you noted, or it was purged since.'}
  </>
);

const meanings: Record<Failure['kind'], string> = {
  changed: 'An entry or a seal was changed after it was written, or the noted head is of another chain.',
  missing: 'Entries were deleted, and not by a purge of the gateway.',
  foreign: 'A row was written into the log by something other than the gateway.',
};

function Broken({ failure }: { failure: Failure }) {
  const { kind, seq, id, message } = failure;
  return (
    <>
      {meanings[kind]}
      <p>
        The first fault: {message}
        {seq !== null && `, at number ${numberText(seq)}`}
        {id !== null && (
          <>
            , entry <code>{id}</code>
          </>
        )}
        .
      </p>
      <p>
        Keep the database as it is: the fault stays as evidence, and no purge goes beyond it. Compare with the last
        backup before it. After a restore, entries that are newer than the backup are missing, and heads that were noted
        after it fail.
      </p>
    </>
  );
}
