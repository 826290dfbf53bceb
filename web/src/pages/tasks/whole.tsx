// What can be done to all that a filter selects, however many they are: the hub
// counts them, so that each button has the exact number, and does it.
import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type Action, actions } from "../../actions/actions";
import { type Command as Key, useCommands } from "../../app/commands";
import { remember } from "../../bulk/kept";
import { Rate } from "../../bulk/rate";
import { begin, counted } from "../../bulk/wish";
import { wishLine, wishOf } from "../../bulk/words";
import { count, number } from "../../format/number";
import { Ask } from "../../ui/ask";
import { Failure } from "../../ui/notice";
import styles from "./bulk.module.css";

export function WholeBar({ filter, leave }: { filter: string; leave: () => void }) {
  const [asking, setAsking] = useState<Action | undefined>();
  const counts = useQueries({ queries: actions.map((action) => counted(wishOf(action, filter))) });
  const choices = actions.flatMap((action, at) => {
    const changed = counts[at]?.data?.changed ?? 0;
    return changed > 0 ? [{ action, changed }] : [];
  });
  useChoiceKeys(choices.map(({ action }) => action.name).join(" "), setAsking);
  const failed = counts.find(({ error }) => error)?.error;
  const counting = counts.some(({ isPending }) => isPending);
  const matched = counts[0]?.data?.matched;
  return (
    <div className={styles.bar} role="group" aria-label="All that fit the filter">
      <span className={styles.count} role="status">
        {matched === undefined ? "Counting all that fit" : `All ${count(matched, "task")} that fit`}
      </span>
      {choices.map(({ action, changed }) => (
        <button key={action.name} onClick={() => setAsking(action)}>
          {action.verb} {number(changed)}
        </button>
      ))}
      {!counting && !failed && choices.length === 0 && <span className="quiet">Nothing can be done to them.</span>}
      <button onClick={leave}>Unmark</button>
      {failed && <Failure error={failed} />}
      {asking && <Confirm action={asking} filter={filter} close={() => setAsking(undefined)} done={leave} />}
    </div>
  );
}

function useChoiceKeys(names: string, choose: (action: Action) => void): void {
  const keys = useMemo(
    () =>
      actions
        .filter(({ name }) => names.split(" ").includes(name))
        .map((action): Key => ({ keys: action.key, what: action.verb, group: "This page", run: () => choose(action) })),
    [names, choose],
  );
  useCommands(keys);
}

interface ConfirmProps {
  action: Action;
  filter: string;
  close: () => void;
  done: () => void;
}

/** Counts again when it opens: the number on the button is that of now. */
function Confirm({ action, filter, close, done }: ConfirmProps) {
  const [rate, setRate] = useState(0);
  const { data } = useQuery(counted(wishOf(action, filter)));
  if (!data) return null;
  const { changed, matched, sample = [] } = data;
  const run = async () => {
    const begun = await begin(wishOf(action, filter), rate);
    remember({ id: begun.id ?? "", action: action.name, filter: begun.filter, counted: { matched, changed } });
    done();
  };
  return (
    <Ask
      title={`${action.verb} ${count(changed, "task")}?`}
      open
      close={close}
      yes={`${action.verb} ${count(changed, "task")}`}
      no="Leave them as they are"
      line={wishLine(action, filter, rate)}
      run={run}
    >
      <p>{action.what}</p>
      <p className="quiet">
        {sample.length < changed ? "The newest of them: " : "These: "}
        <span className="mono">{sample.join(", ")}</span>. The hub does it, also when you close this page; what has
        moved on meanwhile is left alone.
      </p>
      <Rate label="At" value={rate} change={setRate} />
    </Ask>
  );
}
