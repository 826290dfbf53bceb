// What every page stands in: the rail, the bar on top, the tape.
import { Link, Outlet, useRouter } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { getLive, pause } from "../live/store";
import { prefs, setPrefs } from "../prefs";
import { Toasts } from "../ui/toast";
import { type Command, useCommands } from "./commands";
import { Indicator } from "./indicator";
import { Keys } from "./keys";
import { Palette } from "./palette";
import { pages } from "./pages";
import { Rail } from "./rail";
import styles from "./shell.module.css";
import { Tape } from "./tape";

export function Shell() {
  const [open, setOpen] = useState<"keys" | "palette" | undefined>();
  useCommands(useEverywhere(setOpen));
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <Rail />
      <div className={styles.middle}>
        <header className={styles.top}>
          <Link to="/" className={styles.brand} aria-label="tq, overview">
            tq
          </Link>
          <button className={styles.find} onClick={() => setOpen("palette")}>
            Find a task, page or action <kbd>Ctrl K</kbd>
          </button>
          <Indicator />
        </header>
        <main id="main" className={styles.main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Tape />
      <Keys open={open === "keys"} close={() => setOpen(undefined)} />
      <Palette open={open === "palette"} close={() => setOpen(undefined)} />
      <Toasts />
    </div>
  );
}

const themes = ["system", "light", "dark"] as const;

function useEverywhere(show: (what: "keys" | "palette") => void): readonly Command[] {
  const router = useRouter();
  return useMemo(
    () => [
      ...pages.map((page): Command => ({
        keys: `g ${page.key}`,
        what: page.name,
        group: "Go to",
        run: () => void router.navigate({ to: page.to }),
      })),
      {
        keys: "Ctrl+k",
        what: "Find a task, page or action",
        group: "Anywhere",
        run: () => show("palette"),
        hidden: true,
      },
      { keys: "?", what: "Show all keys", group: "Anywhere", run: () => show("keys") },
      {
        keys: "p | Space",
        what: "Pause or resume live updates",
        group: "Anywhere",
        run: () => pause(getLive().phase !== "paused"),
      },
      {
        keys: "t",
        what: "Next theme: system, light, dark",
        group: "Anywhere",
        run: () => setPrefs({ theme: themes[(themes.indexOf(prefs().theme) + 1) % themes.length] ?? "system" }),
      },
    ],
    [router, show],
  );
}
