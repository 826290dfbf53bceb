// The rescue of a whole cause: one task first, watched here while it runs, then
// the rest at a rate. The hub lets them go, also when the page is closed.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { rescue } from "../../actions/actions";
import { ask } from "../../api/client";
import { hubNow } from "../../api/clock";
import { explanation, task as taskQuery } from "../../api/queries";
import type { ChangedTask, ErrorGroup } from "../../api/shapes";
import { type Begun, forget, remember } from "../../bulk/kept";
import { Progress } from "../../bulk/progress";
import { Rate } from "../../bulk/rate";
import { begin, stop, useOperation } from "../../bulk/wish";
import { wishLine } from "../../bulk/words";
import { count, number, sentence } from "../../format/number";
import { Status } from "../../status/glyph";
import { labelOf } from "../../status/status";
import { Command } from "../../ui/command";
import { Dialog } from "../../ui/dialog";
import { Failure } from "../../ui/notice";
import styles from "./cause.module.css";
import { filterOf, verdict } from "./rescue";

type Way = "one" | "all";
type Phase = "asking" | "trying" | "going" | "done";

export function RescueDialog({ group, close }: { group: ErrorGroup; close: () => void }) {
  const run = useRescue(group);
  const one = group.dead === 1;
  return (
    <Dialog title={one ? "Rescue 1 task?" : `Rescue ${count(group.dead, "task")}?`} open close={close}>
      <p>
        They become ready again with a fresh budget of attempts. Others that died of something else stay as they are.
      </p>
      {run.phase === "asking" ? <Choices group={group} run={run} close={close} /> : <Steps run={run} close={close} />}
      {run.error !== undefined && <Failure error={run.error} />}
    </Dialog>
  );
}

type Run = ReturnType<typeof useRescue>;

function useRescue(group: ErrorGroup) {
  const client = useQueryClient();
  const first = group.ids?.[0];
  const [phase, setPhase] = useState<Phase>("asking");
  const [rate, setRate] = useState(5);
  const [way, setWay] = useState<Way>("one");
  const [begun, setBegun] = useState<Begun | undefined>();
  const [error, setError] = useState<unknown>();
  const [stopped, setStopped] = useState(false);
  const [diedAt, setDiedAt] = useState(Infinity); // the attempt that the first died of before
  const operation = useOperation(begun?.id).state;
  const over = operation !== undefined && operation.state !== "running";
  const guarded = async (work: () => Promise<void>) => {
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure);
      setPhase("done");
    }
    await client.invalidateQueries();
  };
  const letGo = (total: number) =>
    guarded(async () => {
      setPhase("going");
      const { id = "", filter } = await begin({ verb: "rescue", filter: filterOf(group.fingerprint) }, rate);
      const kept = { id, filter, action: "rescue", counted: { matched: total, changed: total } };
      remember(kept);
      setBegun(kept);
    });
  return {
    phase: over ? ("done" as const) : phase,
    first,
    way,
    setWay,
    rate,
    setRate,
    operation,
    counted: begun?.counted ?? { matched: 0, changed: 0 },
    error: error ?? (operation?.error && new Error(operation.error.detail)),
    diedAt,
    left: group.dead - 1,
    start: () => {
      if (way === "all") return letGo(group.dead);
      return guarded(async () => {
        if (first === undefined) return;
        setDiedAt((await client.fetchQuery({ ...taskQuery(first), staleTime: 0 })).epoch ?? 0);
        setPhase("trying");
        const [row] = await rescueIds([first]);
        if (row?.error) throw new Error(row.error.detail);
      });
    },
    goOn: () => letGo(group.dead - 1),
    stop: () =>
      guarded(async () => {
        setStopped(true);
        if (begun) await stop(begun.id);
        setPhase("done");
      }),
    finish: () => begun && forget(begun.id), // it was seen to its end here
    stopped,
  };
}

async function rescueIds(ids: readonly number[]): Promise<readonly ChangedTask[]> {
  return (await ask<{ tasks: ChangedTask[] }>("/v1/tasks/rescue", { method: "POST", body: { ids } })).tasks;
}

function Choices({ group, run, close }: { group: ErrorGroup; run: Run; close: () => void }) {
  const one = group.dead === 1;
  return (
    <>
      {!one && (
        <fieldset className={styles.ways}>
          <legend className="unseen">How</legend>
          <label>
            <input type="radio" name="way" checked={run.way === "one"} onChange={() => run.setWay("one")} />
            <span>
              <b>One, then the rest.</b> Task {run.first} is tried now; when it is done, the other {number(run.left)}{" "}
              follow.
            </span>
          </label>
          <label>
            <input type="radio" name="way" checked={run.way === "all"} onChange={() => run.setWay("all")} />
            <span>
              <b>All.</b> Without trying one first.
            </span>
          </label>
          <Rate label="The rest at" value={run.rate} change={run.setRate} />
        </fieldset>
      )}
      <div className={styles.lines}>
        {run.way === "one" && <Command line={`tq rescue ${run.first}`} />}
        {!one && <Command line={wishLine(rescue, filterOf(group.fingerprint), run.rate)} />}
      </div>
      <p className={styles.buttons}>
        <button className={styles.main} onClick={() => void run.start()}>
          {run.way === "all" && !one ? `Rescue all ${number(group.dead)}` : `Rescue task ${run.first}`}
        </button>
        <button onClick={close}>{one ? "Leave it dead" : "Leave them dead"}</button>
      </p>
    </>
  );
}

function Steps({ run, close }: { run: Run; close: () => void }) {
  return (
    <>
      <ol className={styles.steps} aria-live="polite">
        {run.way === "one" && run.first !== undefined && <First id={run.first} run={run} />}
        {run.operation && (
          <li>
            <Progress state={run.operation} counted={run.counted} done="rescued" />
          </li>
        )}
        {run.phase === "done" && run.stopped && <li>Stopped. What was let go goes on; the rest is as it was.</li>}
      </ol>
      <p className={styles.buttons}>
        {run.phase !== "done" && <button onClick={() => void run.stop()}>Stop here</button>}
        {run.phase === "done" && (
          <button
            className={styles.main}
            onClick={() => {
              run.finish();
              close();
            }}
          >
            Done
          </button>
        )}
      </p>
      {run.phase === "trying" && (
        <p className="quiet small">Leave this page open until the first is through; the rest goes on without it.</p>
      )}
      {run.phase === "going" && <p className="quiet small">The hub does it: it goes on when you close this.</p>}
    </>
  );
}

/** The task that is tried first, live; when it is done the rest is let go by itself. */
function First({ id, run }: { id: number; run: Run }) {
  const { data: task } = useQuery(taskQuery(id));
  const why = useQuery(explanation(id)).data;
  const { phase, goOn, left, diedAt } = run;
  const says = task ? verdict(task, diedAt) : "wait";
  useEffect(() => {
    if (says === "good" && phase === "trying" && left > 0) void goOn();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, when the verdict falls
  }, [says, phase]);
  if (!task) return null;
  return (
    <li>
      <span>
        <Status of={labelOf(task, hubNow())} />{" "}
        <Link to="/tasks/$id" params={{ id: String(id) }}>
          task {id}
        </Link>
      </span>
      {says === "wait" && why && <span className="quiet">{sentence(why.sentence)}.</span>}
      {says === "good" && <span>It is done: the cause is mended.</span>}
      {says === "bad" && phase === "trying" && (
        <>
          <span>
            It died again: {task.last_error?.split("\n", 2).join(": ")}. The other {number(left)} were not touched.
          </span>
          <p className={styles.buttons}>
            <button onClick={() => void goOn()}>Rescue the rest all the same</button>
          </p>
        </>
      )}
    </li>
  );
}
