// What can be done to a whole queue: hold it, let it go on, empty it.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Purged, Stats } from "../../api/shapes";
import { count, number } from "../../format/number";
import { Ask } from "../../ui/ask";
import { Bar } from "../../ui/bar";
import { shellWord } from "../../ui/command";
import { say } from "../../ui/toast";
import { goesWithPurge, purgeWords } from "./words";

export function PauseButton({ of }: { of: Stats }) {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const name = of.queue ?? "";
  const paused = of.paused === true;
  const run = async () => {
    await ask(`/v1/queues/${encodeURIComponent(name)}`, { method: "PATCH", body: { paused: !paused } });
    say(paused ? `${name} goes on.` : `${name} is paused.`);
    await client.invalidateQueries();
  };
  const waiting = count(of.ready, "ready task");
  return (
    <>
      <button onClick={() => setOpen(true)} aria-label={`${paused ? "Resume" : "Pause"} ${name}`}>
        {paused ? "Resume" : "Pause"}
      </button>
      <Ask
        title={paused ? `Resume ${name}?` : `Pause ${name}?`}
        open={open}
        close={() => setOpen(false)}
        yes={paused ? "Resume" : "Pause"}
        no={paused ? "Leave it paused" : "Let it go on"}
        line={`tq queue ${paused ? "resume" : "pause"} ${shellWord(name)}`}
        run={run}
      >
        {paused ? (
          <p>Workers may claim from it again at once; {waiting} will go first.</p>
        ) : (
          <p>
            What runs goes on: {count(of.running, "task")}. Nothing more is claimed, so {waiting} will wait. New tasks
            are taken in as ever.
          </p>
        )}
      </Ask>
    </>
  );
}

export function PurgeButton({ of }: { of: Stats }) {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const name = of.queue ?? "";
  const gone = goesWithPurge(of);
  const run = async () => {
    const path = `/v1/queues/${encodeURIComponent(name)}/tasks`;
    const done = await ask<Purged>(path, { method: "DELETE" });
    say(purgeWords(done));
    await client.invalidateQueries();
  };
  return (
    <>
      <button onClick={() => setOpen(true)} disabled={gone === 0}>
        Purge
      </button>
      <Ask
        title={`Purge ${count(gone, "task")} from ${name}?`}
        open={open}
        close={() => setOpen(false)}
        yes={`Delete ${count(gone, "task")}`}
        no="Leave them"
        line={`tq queue purge ${shellWord(name)} --yes`}
        run={run}
      >
        <Bar of={of} />
        <p>
          {number(of.ready + of.scheduled + of.blocked)} that wait are cancelled, then deleted with{" "}
          {number(of.completed + of.dead + of.cancelled)} that have ended. This cannot be undone.
        </p>
        <p className="quiet">
          {number(of.running)} that run go on, and tasks that others elsewhere wait for are kept. Facts stay in the
          journal for a while.
        </p>
      </Ask>
    </>
  );
}
