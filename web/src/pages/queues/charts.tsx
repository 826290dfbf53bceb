// Rates and waits of one queue, drawn from its newest facts.
import { useMemo } from "react";
import type { Fact } from "../../api/shapes";
import { duration } from "../../format/time";
import { useNow } from "../../live/tick";
import { Chart } from "../../ui/chart";
import { series } from "../overview/series";
import styles from "./queue.module.css";
import { spanOf } from "./span";

export default function Charts({ facts }: { facts: readonly Fact[] }) {
  const beat = Math.floor(useNow() / 5000) * 5000;
  const span = spanOf(facts[0] && Date.parse(facts[0].at), beat);
  const data = useMemo(() => series(facts, beat, span.step, span.steps), [facts, beat, span.step, span.steps]);
  return (
    <div className={styles.two}>
      <Chart
        title={`Completed and failed a second, ${span.words}`}
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
