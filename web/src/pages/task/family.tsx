// What a task waits for and what it has brought about, each with its state.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { children as childrenQuery, type FullTask } from "../../api/queries";
import type { Task } from "../../api/shapes";
import { hubNow } from "../../api/clock";
import { count } from "../../format/number";
import { Status } from "../../status/glyph";
import { labelOf } from "../../status/status";
import { Section } from "../../ui/section";
import { TaskLink } from "./summary";

const policies: Record<string, string> = {
  block: "waits on when one of them dies",
  cancel: "is cancelled when one of them ends badly",
  run: "runs whatever becomes of them",
};

export function Family({ task }: { task: FullTask }) {
  return (
    <>
      {task.deps && task.deps.length > 0 && <Dependencies task={task} />}
      {task.children && <Children id={task.id} counts={task.children} />}
    </>
  );
}

function Dependencies({ task }: { task: FullTask }) {
  const open = task.deps?.filter((dep) => dep.status && dep.status !== "completed").length ?? 0;
  return (
    <Section
      title="Waits for"
      note={`${count(open, "is", "are")} not done; ${policies[task.on_dep_failure ?? "block"]}`}
    >
      <table>
        <tbody>
          {task.deps?.map((dep) => (
            <tr key={dep.id}>
              <th scope="row">
                <TaskLink id={dep.id} />
              </th>
              <td>{dep.status ? <Status of={labelOf({ status: dep.status, attempt: 0 }, hubNow())} /> : "deleted"}</td>
              <td className="mono">{task.raw.depResults[dep.id]?.slice(0, 200)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Children({ id, counts }: { id: number; counts: Record<string, number> }) {
  const { data } = useQuery(childrenQuery(id));
  const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const done = counts["completed"] ?? 0;
  return (
    <Section title="Children" note={`${done} of ${all} done`}>
      <table>
        <tbody>
          {data?.map((child) => (
            <Child key={child.id} task={child} />
          ))}
        </tbody>
      </table>
      {data && data.length < all && (
        <p>
          <Link to="/tasks" search={{ q: `parent:${id}` }}>
            All children in the list
          </Link>
        </p>
      )}
    </Section>
  );
}

function Child({ task }: { task: Task }) {
  return (
    <tr>
      <th scope="row">
        <TaskLink id={task.id} />
      </th>
      <td>
        <Status of={labelOf(task, hubNow())} />
      </td>
      <td>{task.type}</td>
      <td className="mono">{task.queue}</td>
      <td className="quiet">{task.last_error?.split("\n", 1)[0] ?? task.progress?.note}</td>
    </tr>
  );
}
