// Says a change of the situation to a screen reader: not each number, at most
// every ten seconds, and only when wanted.
import { useEffect, useRef, useState } from "react";
import { usePrefs } from "../../prefs";
import { useLatest } from "../../ui/latest";

const restMs = 10_000;

export function Announce({ text }: { text: string }) {
  const { announce } = usePrefs();
  const shape = text.replace(/\d[\d,.]*( ms| s|m \d+s|h \d+m|d \d+h)?/g, "#"); // the same but for its numbers
  const newest = useLatest(text);
  const [said, setSaid] = useState("");
  const lastAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, lastAt.current + restMs - Date.now());
    const timer = setTimeout(() => {
      lastAt.current = Date.now();
      setSaid(newest.current);
    }, wait);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another shape is what there is to say
  }, [shape, newest]);
  return (
    <p className="unseen" role="status">
      {announce ? said : ""}
    </p>
  );
}
