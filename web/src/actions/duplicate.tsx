// A copy of a task, to be looked over before it is put in.
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { type Command as Key, useCommands } from "../app/commands";

export function Duplicate({ id }: { id: number }) {
  const navigate = useNavigate();
  const [go, keys] = useMemo(() => {
    const run = () => void navigate({ to: "/enqueue", search: { from: id } });
    const key: Key = { keys: "c", what: "Duplicate", group: "This page", run };
    return [run, [key]];
  }, [id, navigate]);
  useCommands(keys);
  return <button onClick={go}>Duplicate</button>;
}
