// Whether what is shown is now, in words that always say which.
import { number } from "../format/number";
import { type Live, pause, useLive } from "../live/store";
import { useNow } from "../live/tick";
import styles from "./indicator.module.css";

export function Indicator() {
  const live = useLive();
  const now = useNow();
  const paused = live.phase === "paused";
  return (
    <button
      className={styles.indicator}
      aria-pressed={paused}
      onClick={() => pause(!paused)}
      title={paused ? "Resume live updates (p)" : "Pause live updates (p)"}
    >
      <i className={styles.pulse} data-phase={live.phase} aria-hidden="true" />
      <span>{words(live, now)}</span>
      {live.phase === "live" && <span className={styles.rate}>{rate(live.rate)}</span>}
    </button>
  );
}

function rate(facts: number): string {
  return `${number(facts)} ${facts === 1 ? "fact" : "facts"}/s`;
}

function words(live: Live, _now: number): string {
  if (live.outdated) return "new version, reload";
  switch (live.phase) {
    case "live":
      return "live";
    case "paused":
      return "paused";
    case "polling":
      return "polling";
    case "reconnecting": {
      const left = Math.ceil((live.retryAt - Date.now()) / 1000);
      return left > 0 ? `reconnecting in ${left} s` : "reconnecting";
    }
    case "connecting":
      return "connecting";
  }
}
