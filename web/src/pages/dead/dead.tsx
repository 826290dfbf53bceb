// Dead letters by what they died of: two thousand are often three causes.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errors, overview } from "../../api/queries";
import type { ErrorPage } from "../../api/shapes";
import { useTitle } from "../../app/title";
import { count, number, spelled } from "../../format/number";
import { Command } from "../../ui/command";
import { Acts, Lead } from "../../ui/lead";
import { Empty, Failure, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { Causes } from "./causes";

export function DeadLetters() {
  useTitle("Dead letters");
  const { data, error, refetch } = useQuery(errors());
  const total = useQuery(overview).data?.total;
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="dead letters" lines={12} />;
  if (data.groups.length === 0) return <NoDead />;
  const held = total?.blocked_by_dead ?? 0;
  return (
    <>
      <Lead>
        {deadWords(data)}
        {held > 0 && ` ${count(held, "task waits", "tasks wait")} for them.`}
      </Lead>
      <Acts>
        <Link to="/tasks" search={{ q: "status:dead" }}>
          All of them in the list
        </Link>
      </Acts>
      <Section title="Causes" note="the largest first; what differs is underlined">
        <Causes groups={data.groups} />
      </Section>
      <Command line="tq dlq --group" />
    </>
  );
}

function NoDead() {
  return (
    <>
      <Lead>No dead letters. Nothing needs you.</Lead>
      <Empty title="A task that has used up its attempts, or was given up, is kept here with its last error until you rescue or delete it." />
    </>
  );
}

/** 21 dead letters of five causes. */
export function deadWords({ groups, left = 0, unnamed = 0 }: ErrorPage): string {
  const seen = groups.reduce((sum, group) => sum + group.dead, 0);
  const causes = `${spelled(groups.length)} ${groups.length === 1 ? "cause" : "causes"}`;
  if (left > 0)
    return `${count(seen, "dead letter")} of the ${number(groups.length)} largest causes; ${number(left)} smaller ones are not shown.`;
  if (unnamed > 0)
    return `${count(seen, "dead letter")} of ${causes}; the causes of ${number(unnamed)} more are being found out.`;
  return `${count(seen, "dead letter")} of ${causes}.`;
}
