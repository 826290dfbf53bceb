// One cause of death: a whole error of it, its tasks, and the rescue.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { errors, task as taskQuery } from "../../api/queries";
import type { ErrorGroup } from "../../api/shapes";
import { useTitle } from "../../app/title";
import { count, list, number } from "../../format/number";
import { Acts, Lead } from "../../ui/lead";
import { Absent, Failure, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { Terms } from "../../ui/terms";
import { JsonBlock, TextBlock } from "../../ui/text-block";
import { Ago } from "../../ui/when";
import styles from "./cause.module.css";
import { Title } from "./causes";
import { RescueDialog } from "./dialog";

export function CausePage() {
  const { fingerprint } = useParams({ from: "/dead/$fingerprint" });
  useTitle("Dead letters");
  const { data, error, refetch } = useQuery(errors({ fingerprint }));
  const [rescuing, setRescuing] = useState<ErrorGroup | undefined>();
  const group = data?.groups[0];
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="the cause" lines={12} />;
  return (
    <>
      {group ? <Known group={group} rescue={() => setRescuing(group)} /> : <Gone />}
      {rescuing && <RescueDialog group={rescuing} close={() => setRescuing(undefined)} />}
    </>
  );
}

function Gone() {
  return (
    <Absent title="Nothing is dead of this any more." why="Its tasks were rescued or deleted.">
      <Link to="/dead">See what else there is</Link>
    </Absent>
  );
}

function Known({ group, rescue }: { group: ErrorGroup; rescue: () => void }) {
  return (
    <>
      <Lead>
        <b className={styles.count}>{count(group.dead, "task")}</b> died of: <Title text={group.title} />
      </Lead>
      <Acts>
        <button onClick={rescue}>{group.dead === 1 ? "Rescue it" : "Rescue one, then the rest"}</button>
        <Link to="/dead">All causes</Link>
      </Acts>
      <div className={styles.columns}>
        <Section title="A sample" note="the newest of them">
          <Sample id={group.sample} />
        </Section>
        <Terms
          rows={[
            ["type", group.type],
            [
              "queues",
              group.queues.map((queue, at) => (
                <span key={queue}>
                  {at > 0 && ", "}
                  <Link to="/queues/$queue" params={{ queue }} className="mono">
                    {queue}
                  </Link>
                </span>
              )),
            ],
            ["first died", <Ago key="first" at={group.first_at} />],
            ["last died", <Ago key="last" at={group.last_at} />],
            ["fingerprint", <code key="fp">{group.fingerprint}</code>],
          ]}
        />
      </div>
      <Section title="Tasks" note={list([`${number(group.dead)} in all`, "the newest first"])}>
        <Ids ids={group.ids ?? []} of={group.dead} />
      </Section>
    </>
  );
}

function Sample({ id }: { id: number }) {
  const { data } = useQuery(taskQuery(id));
  if (!data) return <Loading what="a sample" lines={4} />;
  return (
    <>
      <TextBlock title={`What task ${id} said at last`} text={data.last_error ?? data.reason ?? ""} />
      {data.raw.payload && <JsonBlock title="Its payload" text={data.raw.payload} />}
    </>
  );
}

const shown = 120;

function Ids({ ids, of }: { ids: readonly number[]; of: number }) {
  return (
    <>
      <ul className={styles.ids}>
        {ids.slice(0, shown).map((id) => (
          <li key={id}>
            <Link to="/tasks/$id" params={{ id: String(id) }} className="mono">
              {id}
            </Link>
          </li>
        ))}
      </ul>
      {of > shown && <p className="quiet small">{number(of - shown)} older ones are not listed here.</p>}
    </>
  );
}
