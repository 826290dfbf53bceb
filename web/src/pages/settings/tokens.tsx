// The access tokens of the hub: what each allows, when it was used, its end.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/client";
import { number } from "../../format/number";
import { Ask } from "../../ui/ask";
import { Command, shellWord } from "../../ui/command";
import { Failure, Loading } from "../../ui/notice";
import { say } from "../../ui/toast";
import { Ago } from "../../ui/when";
import styles from "./settings.module.css";

interface Token {
  id: string;
  name: string;
  can?: string[];
  queues?: string[];
  max_open?: number;
  used_at?: string;
  expires_at?: string;
}

export function Tokens({ own }: { own?: string }) {
  const { data, error } = useQuery({
    queryKey: ["tokens"],
    queryFn: async ({ signal }) => (await ask<{ tokens: Token[] }>("/v1/tokens", { signal })).tokens,
  });
  const [ending, setEnding] = useState<Token | undefined>();
  if (error) return <Failure error={error} />;
  if (!data) return <Loading what="tokens" />;
  return (
    <>
      <div className={styles.scroll}>
        <table className={styles.tokens}>
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">may</th>
              <th scope="col">over queues</th>
              <th scope="col">most open</th>
              <th scope="col">used</th>
              <th scope="col">ends</th>
              <th scope="col">
                <span className="unseen">end it</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((token) => (
              <tr key={token.id}>
                <th scope="row">
                  {token.name} {token.id === own && <span className="quiet small">yours</span>}
                </th>
                <td>{token.can?.join(", ")}</td>
                <td className="mono">{token.queues?.join(", ")}</td>
                <td className="number">{token.max_open ? number(token.max_open) : "any"}</td>
                <td>{token.used_at ? <Ago at={token.used_at} /> : "never"}</td>
                <td>{token.expires_at ? <Ago at={token.expires_at} /> : "never"}</td>
                <td className="number">
                  <button onClick={() => setEnding(token)} aria-label={`Revoke ${token.name}`}>
                    Revoke
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles.lines}>A new one is made where its secret is needed; it is shown there once:</p>
      <Command line="tq token create --name sam --queue 'shop:*' --can enqueue,read --expires 90d" />
      {ending && <Revoke token={ending} own={ending.id === own} close={() => setEnding(undefined)} />}
    </>
  );
}

function Revoke({ token, own, close }: { token: Token; own: boolean; close: () => void }) {
  const client = useQueryClient();
  const run = async () => {
    await ask(`/v1/tokens/${encodeURIComponent(token.id)}`, { method: "DELETE" });
    say(`${token.name} is refused from now on.`);
    await client.invalidateQueries();
  };
  return (
    <Ask
      title={`Revoke the token of ${token.name}?`}
      open
      close={close}
      yes="Revoke it"
      no="Leave it"
      line={`tq token revoke ${shellWord(token.id)}`}
      run={run}
    >
      <p>Whoever uses it is refused within a second. What it did stays.</p>
      {own && <p>It is the one that you are signed in with: you will have to sign in anew.</p>}
    </Ask>
  );
}
