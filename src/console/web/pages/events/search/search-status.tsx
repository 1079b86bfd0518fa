import { Button } from '../../../components/button.tsx';
import { Moment } from '../../../components/moment.tsx';
import { Notice, ProblemNotice } from '../../../components/notice.tsx';
import { byteText, counted, numberText } from '../../../components/number-text.ts';
import type { PayloadSearch } from './use-payload-search.ts';

/** How far a search of payloads came, and how to go on. */
export function SearchStatus(props: { search: PayloadSearch; onMore(): void; onStop(): void; onEnd(): void }) {
  const { search, onMore, onStop, onEnd } = props;
  if (search.error) return <ProblemNotice error={search.error} retry={onMore} />;
  const canGoOn = !search.isEnd && !search.isRunning;
  return (
    <Notice>
      <span role="status">
        {search.isRunning ? 'Searching payloads' : 'Searched payloads'} for “<bdi>{search.text}</bdi>”:{' '}
        <strong>{counted(search.events.length, 'event')} found</strong> in {numberText(search.scannedEvents)} (
        {byteText(search.scannedBytes)})
        {search.from !== null && (
          <>
            , back to <Moment iso={search.from} />
          </>
        )}
        . {search.isEnd && 'That is everything that the filters find.'}
        {canGoOn && 'One step reads at most 20,000 events, 64 MiB or two seconds.'}
      </span>
      <span className="buttons">
        {search.isRunning && <Button onClick={onStop}>Stop</Button>}
        {canGoOn && <Button onClick={onMore}>Search older events</Button>}
        <Button tone="quiet" onClick={onEnd}>
          Back to the list
        </Button>
      </span>
    </Notice>
  );
}
