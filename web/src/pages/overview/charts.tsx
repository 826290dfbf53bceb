// Rate and wait, drawn from the facts this page has seen.
import { useMemo } from "react";
import { useLive } from "../../live/store";
import { useNow } from "../../live/tick";
import { duration } from "../../format/time";
import { Chart } from "../../ui/chart";
import styles from "./charts.module.css";
import { series } from "./series";

const step = 10;
const steps = 60;

export default function Charts() {
  const { facts } = useLive();
  const beat = Math.floor(useNow() / 2000); // drawn again every two seconds, not on each fact
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- facts change with every frame; the beat decides
  const data = useMemo(() => series(facts, beat * 2000, step, steps), [beat]);
  return (
    <div className={styles.two}>
      <Chart
        title="Completed and failed a second"
        at={data.at}
        lines={[
          { name: "completed", status: "completed", values: data.completed },
          { name: "failed", status: "dead", values: data.failed, dashed: true },
        ]}
        format={(value) => String(Number(value.toPrecision(2)))}
      />
      <Chart
        title="Wait before a claim, p95"
        at={data.at}
        lines={[{ name: "wait", status: "running", values: data.wait }]}
        format={duration}
      />
    </div>
  );
}
