// The first page: does anything need me, and where?
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { errors, overview } from "../../api/queries";
import { useTitle } from "../../app/title";
import { count } from "../../format/number";
import { Empty, Failure, FirstSteps, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { Announce } from "./announce";
import { Fleet } from "./fleet";
import styles from "./overview.module.css";
import { isEmpty, type Part, situation } from "./situation";
import { Wall } from "./wall";

const Flow = lazy(() => import("../flow/flow"));

export function Overview() {
  useTitle("Overview");
  const { data, error, refetch } = useQuery(overview);
  const causes = useQuery({ ...errors(), enabled: (data?.total.dead ?? 0) > 0 }).data?.groups.length;
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="the overview" lines={20} />;
  if (isEmpty(data)) return <Welcome />;
  return (
    <>
      <Situation parts={situation({ ...data, causes })} />
      <Section title="Pigeonholes" note={count(data.queues.length, "queue")}>
        <Wall queues={data.queues} starved={data.starved} />
      </Section>
      <Section title="Fleet" note="who is on what, and how long the lease has left">
        <Fleet />
      </Section>
      <Section title="Flow" note="what came in, what went out, how long it took">
        <div className={styles.charts}>
          <Suspense fallback={<Loading what="charts" />}>
            <Flow />
          </Suspense>
        </div>
      </Section>
    </>
  );
}

function Welcome() {
  return (
    <>
      <h1 className={styles.situation}>Nothing has come in yet.</h1>
      <Empty title="Here you will see what waits, who works on what, and what needs you.">
        <FirstSteps />
      </Empty>
    </>
  );
}

function Situation({ parts }: { parts: readonly Part[] }) {
  return (
    <>
      <h1 className={styles.situation}>
        {parts.map((part) =>
          part.to ? (
            <Link key={part.text + part.q} to={part.to} search={part.q ? { q: part.q } : {}} data-dead={part.dead}>
              {part.text}
            </Link>
          ) : (
            part.text
          ),
        )}
      </h1>
      <Announce text={parts.map((part) => part.text).join("")} />
    </>
  );
}
