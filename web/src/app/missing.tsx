import { Link } from "@tanstack/react-router";
import { Absent, Failure } from "../ui/notice";
import { useTitle } from "./title";

export function Missing() {
  useTitle("Not found");
  return (
    <Absent title="There is no page at this address.">
      <Link to="/">Go to the overview</Link>
    </Absent>
  );
}

export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  return <Failure error={error} retry={reset} />;
}
