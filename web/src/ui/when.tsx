// An instant: relative or local, with the exact UTC time on hover.
import { hubNow } from "../api/clock";
import { clock, exact, relative } from "../format/time";
import { useNow } from "../live/tick";
import { usePrefs } from "../prefs";

/** 12 s ago */
export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={exact(Date.parse(at))}>
      {relative(Date.parse(at), now)}
    </time>
  );
}

/** 16:02:11 */
export function Clock({ at }: { at: string }) {
  const { utc } = usePrefs();
  return (
    <time dateTime={at} title={exact(Date.parse(at))}>
      {clock(Date.parse(at), hubNow(), utc)}
    </time>
  );
}
