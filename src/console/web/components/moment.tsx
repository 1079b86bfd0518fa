import { useEffect, useState } from 'react';
import { agoText, clockText, localTime, wholeTime } from './time-text.ts';

/** The present time in ms, renewed every `everyMs`. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** A time in the reader's zone; its tooltip names the zone. `ago` shows how long it is from now in its place. */
export function Moment({ iso, ago = false }: { iso: string | null; ago?: boolean }) {
  if (iso === null) return <span>–</span>;
  if (ago) return <Ago iso={iso} />;
  return (
    <time dateTime={iso} title={wholeTime(iso)}>
      {localTime(iso)}
    </time>
  );
}

/** When something is due: how long until then; `now` from then on. */
export const Due = ({ iso }: { iso: string }) => <Ago iso={iso} isDue />;

function Ago({ iso, isDue = false }: { iso: string; isDue?: boolean }) {
  const leftMs = Date.parse(iso) - useNow(5_000);
  return (
    <time dateTime={iso} title={wholeTime(iso)}>
      {agoText(isDue ? Math.max(0, leftMs) : leftMs)}
    </time>
  );
}

/** The time of day, with the day if that is not today, for texts that an operator reads in a hurry. */
export function Clock({ iso }: { iso: string }) {
  const now = useNow(60_000);
  return (
    <time dateTime={iso} title={wholeTime(iso)}>
      {clockText(iso, now)}
    </time>
  );
}
