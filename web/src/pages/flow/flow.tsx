// Rates and waits over time, of everything or of one queue, out of what the hub
// has counted.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { series } from "../../api/queries";
import { duration } from "../../format/time";
import { Chart } from "../../ui/chart";
import { Failure, Loading } from "../../ui/notice";
import styles from "./flow.module.css";
import { linesOf, ranges } from "./series";

export default function Flow({ queue }: { queue?: string }) {
  const [seconds, setSeconds] = useState<number>(ranges[0].seconds);
  const { data, error } = useQuery({
    ...series({ queue, range_seconds: seconds }),
    placeholderData: keepPreviousData,
  });
  const lines = useMemo(() => data && linesOf(data), [data]);
  if (error && !data) return <Failure error={error} />;
  return (
    <>
      <fieldset className={styles.ranges}>
        <legend className="unseen">How far back</legend>
        {ranges.map((range) => (
          <label key={range.seconds}>
            <input
              type="radio"
              name="range"
              checked={range.seconds === seconds}
              onChange={() => setSeconds(range.seconds)}
            />
            {range.name}
          </label>
        ))}
      </fieldset>
      {lines ? (
        <div className={styles.two}>
          <Chart
            title="Tasks a minute"
            at={lines.at}
            lines={[
              { name: "enqueued", status: "ready", values: lines.enqueued },
              { name: "completed", status: "completed", values: lines.completed },
              { name: "failed", status: "dead", values: lines.failed, dashed: true },
            ]}
            format={(value) => String(Number(value.toPrecision(2)))}
          />
          <Chart
            title="How long, p95"
            at={lines.at}
            lines={[
              { name: "wait", status: "ready", values: lines.wait, dashed: true },
              { name: "run", status: "running", values: lines.run },
            ]}
            format={duration}
          />
        </div>
      ) : (
        <Loading what="charts" />
      )}
    </>
  );
}
