// Find: a task by its id, any page, any action, each with its key.
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { Dialog } from "../ui/dialog";
import { type Command, useAllCommands } from "./commands";
import { Combination } from "./keys";
import styles from "./palette.module.css";

export function Palette({ open, close }: { open: boolean; close: () => void }) {
  return (
    <Dialog title="Find" open={open} close={close}>
      <Finder close={close} />
    </Dialog>
  );
}

interface Choice {
  what: string;
  keys?: string;
  run: () => void;
}

function Finder({ close }: { close: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const choices = useChoices(text);
  const id = useId();
  const chosen = Math.min(at, choices.length - 1);
  const run = (choice?: Choice) => {
    if (!choice) return;
    close();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((chosen + step + choices.length) % choices.length);
    if (event.key === "Enter") run(choices[chosen]);
    if (step || event.key === "Enter") event.preventDefault();
  };
  return (
    <>
      <input
        className={styles.input}
        role="combobox"
        aria-label="Find a task, page or action"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={choices.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder="A task's id, a filter, or what to do"
        data-first
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={id} role="listbox" aria-label="Choices" className={styles.choices}>
        {choices.map((choice, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the input above has the keys
          <li
            key={choice.what}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={styles.choice}
            onClick={() => run(choice)}
          >
            {choice.what}
            {choice.keys && (
              <span>
                <Combination keys={choice.keys} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function useChoices(text: string): Choice[] {
  const router = useRouter();
  const commands = useAllCommands();
  return useMemo(() => {
    const asked = text.trim();
    const found = commands.filter((command) => !command.hidden && fits(command, asked));
    const id = /^#?(\d+)$/.exec(asked)?.[1];
    const out: Choice[] = [];
    if (id)
      out.push({ what: `Open task ${id}`, run: () => void router.navigate({ to: "/tasks/$id", params: { id } }) });
    out.push(...found);
    if (asked && !id) {
      out.push({ what: `Tasks: ${asked}`, run: () => void router.navigate({ to: "/tasks", search: { q: asked } }) });
    }
    return out;
  }, [commands, router, text]);
}

function fits(command: Command, asked: string): boolean {
  const words = asked.toLowerCase().split(/\s+/);
  const what = `${command.group} ${command.what}`.toLowerCase();
  return words.every((word) => what.includes(word));
}
