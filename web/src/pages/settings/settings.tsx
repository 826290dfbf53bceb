// What this person chose, who is signed in, and how the page is connected.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ask } from "../../api/client";
import { at } from "../../api/place";
import { me, type Me, signOut } from "../../api/session";
import { useTitle } from "../../app/title";
import { number, sentence } from "../../format/number";
import { useLive } from "../../live/store";
import { type Prefs, setPrefs, usePrefs } from "../../prefs";
import { Command } from "../../ui/command";
import { Lead } from "../../ui/lead";
import { Failure, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { Terms } from "../../ui/terms";
import { sayFailure } from "../../ui/toast";
import { Ago } from "../../ui/when";
import styles from "./settings.module.css";
import { Tokens } from "./tokens";

export function Settings() {
  useTitle("Settings");
  const session = useQuery(me);
  return (
    <>
      <Lead>Settings are kept in this browser; rights are kept by the hub.</Lead>
      <Section title="How it looks">
        <Looks />
      </Section>
      <Section title="The hub">
        <Hub />
      </Section>
      <Section title="Who you are">
        {session.data ? (
          <Who me={session.data} />
        ) : session.error ? (
          <Failure error={session.error} />
        ) : (
          <Loading what="who you are" />
        )}
      </Section>
      {session.data?.can?.includes("admin") && (
        <Section title="Tokens" note="who may ask this hub, and for what">
          <Tokens own={session.data.id} />
        </Section>
      )}
    </>
  );
}

function Looks() {
  const prefs = usePrefs();
  return (
    <div className={styles.looks}>
      <Choice
        name="Theme"
        value={prefs.theme}
        of={{ system: "as the system has it", light: "light", dark: "dark" }}
        change={(theme) => setPrefs({ theme })}
      />
      <Choice
        name="Rows"
        value={prefs.density}
        of={{ normal: "normal", compact: "compact" }}
        change={(density) => setPrefs({ density })}
      />
      <Choice
        name="Motion"
        value={prefs.motion}
        of={{ system: "as the system has it", off: "none" }}
        change={(motion) => setPrefs({ motion })}
      />
      <Choice
        name="Times"
        value={prefs.utc ? "utc" : "local"}
        of={{ local: `local (${new Intl.DateTimeFormat().resolvedOptions().timeZone})`, utc: "UTC" }}
        change={(zone) => setPrefs({ utc: zone === "utc" })}
      />
      <Switch name="keys">Single-letter keys are on; ? lists them</Switch>
      <Switch name="announce">A screen reader hears when the situation changes</Switch>
    </div>
  );
}

function Choice<Value extends string>({
  name,
  value,
  of,
  change,
}: {
  name: string;
  value: Value;
  of: Record<Value, string>;
  change: (value: Value) => void;
}) {
  return (
    <label className={styles.choice}>
      <span>{name}</span>
      <select value={value} onChange={(event) => change(event.target.value as Value)}>
        {(Object.entries(of) as [Value, string][]).map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

function Switch({ name, children }: { name: keyof Pick<Prefs, "keys" | "announce">; children: ReactNode }) {
  const prefs = usePrefs();
  return (
    <label className={styles.switch}>
      <input type="checkbox" checked={prefs[name]} onChange={(event) => setPrefs({ [name]: event.target.checked })} />
      {children}
    </label>
  );
}

const rights: Record<string, string> = {
  read: "look at tasks, queues and facts",
  enqueue: "put tasks in, cancel them, run them now",
  claim: "take tasks and settle them",
  admin: "rescue, delete, pause, purge, remove workers, make tokens",
};

function Who({ me: { name, can = [], queues = [], types = [], expires_at: ends } }: { me: Me }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    try {
      await signOut();
      client.clear();
      await navigate({ to: "/signin" });
    } catch (error) {
      sayFailure(error);
    }
  };
  return (
    <>
      <Terms
        rows={[
          ["name", name],
          [
            "may",
            <ul key="may">
              {can.map((scope) => (
                <li key={scope}>
                  <b>{scope}</b>: {rights[scope] ?? scope}
                </li>
              ))}
            </ul>,
          ],
          ["over queues", queues.join(", ")],
          ["over types", types.join(", ")],
          ["until", ends ? <Ago key="ends" at={ends} /> : "for ever"],
        ]}
      />
      <p className={styles.act}>
        <button onClick={() => void leave()}>Sign out</button>
        <Link to="/signin">Sign in as somebody else</Link>
      </p>
    </>
  );
}

interface About {
  info?: { title?: string; version?: string };
}

function Hub() {
  const { phase, by, rate, facts } = useLive();
  const about = useQuery({
    queryKey: ["openapi"],
    queryFn: () => ask<About>("/openapi.json"),
    staleTime: Infinity,
  }).data;
  return (
    <>
      <Terms
        rows={[
          ["address", <code key="at">{at("/")}</code>],
          ["version", about?.info?.version ?? "…"],
          [
            "live",
            `${sentence(phase)}, ${by ? `by ${by === "own stream" ? "a stream of its own" : `the ${by}`}` : ""}`,
          ],
          ["facts", `${number(rate)} a second; the newest seen is ${number(facts[0]?.seq ?? 0)}`],
          [
            "documents",
            <span key="docs" className={styles.links}>
              <a href={at("/docs")}>API docs</a>
              <a href={at("/openapi.json")}>openapi.json</a>
              <a href={at("/openapi.yaml")}>openapi.yaml</a>
              <a href={at("/metrics")}>metrics</a>
            </span>,
          ],
        ]}
      />
      <div className={styles.lines}>
        <Command line={`tq --db ${location.origin}${new URL(at("/")).pathname.replace(/\/$/, "")} stats`} />
      </div>
    </>
  );
}
