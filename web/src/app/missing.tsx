import { Link } from "@tanstack/react-router";
import { Empty, Failure } from "../ui/notice";
import { useTitle } from "./title";

export function Missing() {
  useTitle("Not found");
  return (
    <Empty title="There is no page at this address.">
      <Link to="/">Go to the overview</Link>
    </Empty>
  );
}

export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  return <Failure error={error} retry={reset} />;
}
