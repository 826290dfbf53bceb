// The page of keys, made from the same list that the keyboard obeys.
import { Dialog } from "../ui/dialog";
import { setPrefs, usePrefs } from "../prefs";
import { type Command, useAllCommands } from "./commands";
import styles from "./keys.module.css";

const groups = ["This page", "Anywhere", "Go to"] as const;

export function Keys({ open, close }: { open: boolean; close: () => void }) {
  const commands = useAllCommands();
  const { keys } = usePrefs();
  return (
    <Dialog title="Keys" open={open} close={close}>
      <label className={styles.switch}>
        <input type="checkbox" checked={keys} onChange={(event) => setPrefs({ keys: event.target.checked })} />
        Single-letter keys are on
      </label>
      {groups.map((group) => (
        <Group key={group} name={group} commands={commands.filter((command) => command.group === group)} />
      ))}
    </Dialog>
  );
}

function Group({ name, commands }: { name: string; commands: readonly Command[] }) {
  if (commands.length === 0) return null;
  return (
    <>
      <h3 className={styles.group}>{name}</h3>
      <dl className={styles.list}>
        {commands.map((command) => (
          <div key={command.keys} className={styles.row}>
            <dt>
              <Combination keys={command.keys} />
            </dt>
            <dd>{command.what}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export function Combination({ keys }: { keys: string }) {
  return keys.split(" | ").map((way, at) => (
    <span key={way}>
      {at > 0 && " or "}
      {way.split(" ").map((key) => (
        <kbd key={key} className={styles.key}>
          {key.replace("Ctrl+", "Ctrl ").replace("Shift+", "Shift ")}
        </kbd>
      ))}
    </span>
  ));
}
