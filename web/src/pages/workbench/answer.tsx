// What the hub answered, byte for byte.
import { Failure } from "../../ui/notice";
import { JsonBlock } from "../../ui/text-block";
import type { Sent } from "./history";

export interface Answered {
  text?: string;
  error?: unknown;
  sent: Sent;
}

export function Answer({ of: { text, error } }: { of: Answered }) {
  if (error !== undefined) return <Failure error={error} />;
  if (!text) return <p className="quiet">Done; there is nothing more to say.</p>;
  return <JsonBlock title="Body" text={text} />;
}
