// Signing in with a token, for those who did not come by the link that the hub printed.
import { useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { signIn } from "../../api/session";
import { useTitle } from "../../app/title";
import { reconnect } from "../../live/store";
import { Command } from "../../ui/command";
import { Lead } from "../../ui/lead";
import { Failure } from "../../ui/notice";
import styles from "./signin.module.css";

export function SignIn() {
  useTitle("Sign in");
  const { back } = useSearch({ from: "/signin" });
  const router = useRouter();
  const client = useQueryClient();
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get("token");
    try {
      await signIn(String(token).trim());
      reconnect();
      await client.resetQueries();
      // Only a path of this app: never an address from elsewhere.
      router.history.replace(back?.startsWith("/") && !back.startsWith("//") ? back : router.history.createHref("/"));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <div className={styles.page}>
      <Lead>Sign in with a token.</Lead>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <label htmlFor="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          required
          placeholder="tq_…"
        />
        <button>Sign in</button>
      </form>
      {error !== undefined && <Failure error={error} />}
      <p className="quiet">
        When the hub starts it prints a link that signs you in by itself. A token of your own, which may look but not
        touch:
      </p>
      <Command line="tq token create --name me --can read" />
    </div>
  );
}
