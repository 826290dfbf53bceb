// Putting a task in: from nothing, into a queue, or as a copy of another task.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, lazy, Suspense, useId, useState } from "react";
import { ask } from "../../api/client";
import { overview, task as taskQuery } from "../../api/queries";
import { useTitle } from "../../app/title";
import { Command } from "../../ui/command";
import { Lead } from "../../ui/lead";
import { Failure, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { say } from "../../ui/toast";
import { blank, bodyOf, copyOf, type Draft, lineOf, troubles } from "./draft";
import styles from "./enqueue.module.css";
import { Field } from "./field";

const JsonEditor = lazy(() => import("../../ui/json-editor"));

export function EnqueuePage() {
  const { from, queue } = useSearch({ from: "/enqueue" });
  useTitle(from ? `Copy of task ${from}` : "Enqueue");
  if (from) return <Copy key={from} id={from} />;
  return (
    <>
      <Lead>A new task{queue ? ` for ${queue}` : ""}.</Lead>
      <Form key={queue} initial={{ ...blank, queue: queue ?? blank.queue }} />
    </>
  );
}

function Copy({ id }: { id: number }) {
  const { data, error } = useQuery(taskQuery(id));
  if (error && !data) return <Failure error={error} />;
  if (!data) return <Loading what={`task ${id}`} lines={12} />;
  return (
    <>
      <Lead>
        A copy of task{" "}
        <Link to="/tasks/$id" params={{ id: String(id) }}>
          {id}
        </Link>
        . It gets an id of its own; task {id} stays as it is.
      </Lead>
      <Form initial={copyOf(data, data.raw.payload)} />
    </>
  );
}

interface Answer {
  id: number;
  existed?: boolean;
  mismatch?: boolean;
}

function Form({ initial }: { initial: Draft }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(initial);
  const [asked, setAsked] = useState(false); // from then on everything that is wrong is said
  const [error, setError] = useState<unknown>();
  const wrong = troubles(draft);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setAsked(true);
    setError(undefined);
    if (Object.keys(wrong).length > 0) {
      event.currentTarget.querySelector<HTMLElement>("[aria-invalid='true']")?.focus();
      return;
    }
    try {
      const answer = await ask<Answer>("/v1/tasks", { method: "POST", body: bodyOf(draft) });
      say(answerWords(answer));
      void client.invalidateQueries();
      await navigate({ to: "/tasks/$id", params: { id: String(answer.id) } });
    } catch (failure) {
      setError(failure);
    }
  };
  const shown = (name: keyof Draft) => (asked || draft[name] !== initial[name] ? wrong[name] : undefined);
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <Where draft={draft} set={set} wrong={shown} />
      <Payload draft={draft} set={set} wrong={shown("payload")} />
      <When draft={draft} set={set} wrong={shown} />
      <Section title="The same as typed">
        <div className={styles.line}>
          <Command line={lineOf(draft)} />
        </div>
      </Section>
      {error !== undefined && <Failure error={error} />}
      <p className={styles.buttons}>
        <button className={styles.main}>Enqueue</button>
        {asked && Object.keys(wrong).length > 0 && (
          <span role="status" className={styles.wrong}>
            Not yet: {Object.keys(wrong).length === 1 ? "one field needs" : `${Object.keys(wrong).length} fields need`}{" "}
            a look.
          </span>
        )}
      </p>
    </form>
  );
}

export function answerWords({ id, existed, mismatch }: Answer): string {
  if (mismatch) return `The key belongs to task ${id}, which is another task: nothing was put in.`;
  return existed ? `The key was known: this is task ${id}, as it was.` : `Task ${id} is in.`;
}

export interface PartProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  wrong: (name: keyof Draft) => string | undefined;
}

function Where({ draft, set, wrong }: PartProps) {
  const names = useQuery(overview).data?.queues.map(({ queue }) => queue ?? "") ?? [];
  return (
    <Section title="What and where">
      <div className={styles.grid}>
        <Field
          name="Type"
          value={draft.type}
          change={(type) => set({ type })}
          wrong={wrong("type")}
          help="sh, http, or a name that your workers serve"
          choices={["sh", "http"]}
          mono
        />
        <Field
          name="Queue"
          value={draft.queue}
          change={(queue) => set({ queue })}
          wrong={wrong("queue")}
          help="a new name makes a new queue"
          choices={names}
          mono
        />
        <Field
          name="Key"
          value={draft.key}
          change={(key) => set({ key })}
          help="a repeat with this key is the same task"
          mono
        />
        <Field name="Project" value={draft.project} change={(project) => set({ project })} help="a label" />
        <Field name="Tags" value={draft.tags} change={(tags) => set({ tags })} help="labels, with commas between" />
      </div>
    </Section>
  );
}

function Payload({ draft, set, wrong }: { draft: Draft; set: PartProps["set"]; wrong?: string }) {
  const shell = draft.type.trim() === "sh";
  const help = shell ? "a command line, or JSON with cmd, dir, env, stdin" : "any JSON; it is kept byte for byte";
  return (
    <Section title="Payload" note={help}>
      <div className={styles.payload}>
        <Suspense fallback={<Loading what="the editor" lines={5} />}>
          <JsonEditor label="Payload" value={draft.payload} change={(payload) => set({ payload })} plain={shell} />
        </Suspense>
        <p role="status" className={wrong ? styles.wrong : styles.help}>
          {wrong ?? ""}
        </p>
      </div>
    </Section>
  );
}

function When({ draft, set, wrong }: PartProps) {
  const id = useId();
  return (
    <Section title="When and how often">
      <div className={styles.grid}>
        <Field
          name="Priority"
          value={draft.priority}
          change={(priority) => set({ priority })}
          wrong={wrong("priority")}
          help="high goes first; 0"
        />
        <Field
          name="Delay"
          value={draft.delay}
          change={(delay) => set({ delay })}
          wrong={wrong("delay")}
          help="not before this has gone by, as in 5m"
        />
        <Field
          name="Attempts"
          value={draft.maxAttempts}
          change={(maxAttempts) => set({ maxAttempts })}
          wrong={wrong("maxAttempts")}
          help="how often it may be tried; 3"
        />
        <Field
          name="Timeout"
          value={draft.timeout}
          change={(timeout) => set({ timeout })}
          wrong={wrong("timeout")}
          help="ends an attempt that takes longer; none"
        />
        <Field
          name="After"
          value={draft.deps}
          change={(deps) => set({ deps })}
          wrong={wrong("deps")}
          help="waits for these: ids, or key:NAME in its queue"
          mono
        />
        <div className={styles.field}>
          <label htmlFor={id}>When one of those ends badly</label>
          <select
            id={id}
            value={draft.onDepFailure}
            disabled={draft.deps.trim() === ""}
            onChange={(event) => set({ onDepFailure: event.target.value as Draft["onDepFailure"] })}
          >
            <option value="block">wait on</option>
            <option value="cancel">cancel this one</option>
            <option value="run">run all the same</option>
          </select>
        </div>
      </div>
    </Section>
  );
}
