// A countdown to the end of a lease, by the hub's clock.
import { brief } from "../../format/time";
import { useNow } from "../../live/tick";

export function Left({ until }: { until?: string }) {
  const now = useNow();
  if (!until) return <>–</>;
  const left = (Date.parse(until) - now) / 1000;
  return <>{left > 0 ? brief(left) : "run out"}</>;
}
