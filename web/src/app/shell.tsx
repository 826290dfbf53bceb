// What every page stands in: the rail, the bar on top, the tape.
import { Link, Outlet, useLocation, useRouter } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Operations } from "../bulk/strip";
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
  const [drawer, setDrawer] = useDrawer();
  useCommands(useEverywhere(setOpen));
  const toggle = (side: Side) => setDrawer(drawer === side ? undefined : side);
  return (
    <div className={styles.shell} data-drawer={drawer}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <div id="rail" className={styles.rail}>
        <Rail />
      </div>
      <div className={styles.middle}>
        <header className={styles.top}>
          <Link to="/" className={styles.brand} aria-label="tq, overview">
            tq
          </Link>
          <button className={styles.find} onClick={() => setOpen("palette")}>
            <span>
              Find <span className={styles.more}>a task, page or action</span>
            </span>
            <kbd>Ctrl K</kbd>
          </button>
          <Indicator />
          <button
            className={styles.forTape}
            aria-expanded={drawer === "tape"}
            aria-controls="tape"
            onClick={() => toggle("tape")}
          >
            Tape
          </button>
          <button
            className={styles.forRail}
            aria-expanded={drawer === "rail"}
            aria-controls="rail"
            onClick={() => toggle("rail")}
          >
            Menu
          </button>
        </header>
        <main id="main" className={styles.main} tabIndex={-1}>
          <Outlet />
        </main>
        <Operations />
      </div>
      <div id="tape" className={styles.tape}>
        <Tape />
      </div>
      <Keys open={open === "keys"} close={() => setOpen(undefined)} />
      <Palette open={open === "palette"} close={() => setOpen(undefined)} />
      <Toasts />
    </div>
  );
}

type Side = "rail" | "tape";

/** On small pages rail and tape are drawers; going somewhere closes them. */
function useDrawer() {
  const [drawer, setDrawer] = useState<Side | undefined>();
  const place = useLocation({ select: ({ href }) => href });
  const [shown, setShown] = useState(place);
  if (place !== shown) {
    setShown(place);
    setDrawer(undefined);
  }
  return [drawer, setDrawer] as const;
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
