// The filter box: the language of the command line, checked while typing. The
// address changes only when a person changed the text.
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { useCommands } from "../../app/commands";
import { FilterError, parse, type Term } from "../../filter/parse";
import styles from "./filter.module.css";

const restMs = 300;

/** What a filter asks for, or what is wrong with it. */
export function readFilter(text: string): { terms?: readonly Term[]; error?: string } {
  try {
    return { terms: parse(text) };
  } catch (error) {
    if (error instanceof FilterError) return { error: error.message };
    throw error;
  }
}

export interface FilterBoxProps {
  value: string;
  change: (text: string) => void;
  error?: string;
}

export function FilterBox({ value, change, error }: FilterBoxProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A chip, a link or the way back changed the filter from outside.
  if (value !== shown) {
    setShown(value);
    setText(value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => readFilter(next).terms && apply(next), restMs);
  };
  const apply = (next: string) => {
    clearTimeout(timer.current);
    setShown(next);
    change(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply(text.trim());
  };
  useCommands(
    useMemo(() => [{ keys: "/", what: "Filter", group: "This page", run: () => input.current?.focus() }], []),
  );
  const wrong = text === value ? error : readFilter(text).error;
  return (
    <form className={styles.form} role="search" onSubmit={submit}>
      <input
        ref={input}
        className={styles.input}
        type="search"
        aria-label="Filter"
        aria-describedby="filter-help"
        aria-invalid={wrong !== undefined}
        placeholder='queue:build status:dead age:>2h -type:metrics "timed out"'
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && input.current?.blur()}
      />
      <p id="filter-help" className={styles.help} data-wrong={wrong !== undefined || undefined} role="status">
        {wrong ?? "Words are sought in payloads and errors; a comma is or, a minus is not."}
      </p>
    </form>
  );
}
