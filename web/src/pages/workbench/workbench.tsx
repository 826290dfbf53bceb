// Every operation of the hub, to be tried: filled in, sent, answered, kept, and
// copied for a shell, for tq or for an agent. Made from the served document.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { ask, askText } from "../../api/client";
import { at } from "../../api/place";
import { Problem } from "../../api/problem";
import { useTitle } from "../../app/title";
import { Command } from "../../ui/command";
import { Copy } from "../../ui/copy";
import { Lead } from "../../ui/lead";
import { Empty, Failure, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { Answer, type Answered } from "./answer";
import { forget, history, remember, type Sent } from "./history";
import { type Document, exampleBody, type Operation, operationsOf } from "./openapi";
import { Parameters } from "./parameters";
import { outcome, Past } from "./past";
import { addressOf, curlOf, lineFor, mcpOf, missing, type Request } from "./request";
import styles from "./workbench.module.css";

const JsonEditor = lazy(() => import("../../ui/json-editor"));

export function Workbench() {
  useTitle("Workbench");
  const { data, error } = useQuery({
    queryKey: ["openapi"],
    queryFn: () => ask<Document>("/openapi.json"),
    staleTime: Infinity,
  });
  const operations = useMemo(() => data && operationsOf(data), [data]);
  if (error) return <Failure error={error} />;
  if (!operations) return <Loading what="what the hub can do" lines={14} />;
  if (operations.length === 0)
    return (
      <Empty title="The hub's document names no operation. Look at /openapi.json: it may be an older hub, or a proxy answers for it." />
    );
  return (
    <>
      <Lead>
        Ask the hub anything: {operations.length} operations, as its own <a href={at("/docs")}>document</a> has them.
      </Lead>
      <Bench operations={operations} />
    </>
  );
}

function Bench({ operations }: { operations: readonly Operation[] }) {
  const client = useQueryClient();
  const [request, setRequest] = useState<Request>(() =>
    fresh(operations.find(({ id }) => id === "stats") ?? operations[0]),
  );
  const [answer, setAnswer] = useState<Answered | undefined>();
  const [busy, setBusy] = useState(false);
  const [past, setPast] = useState(history);
  const send = async () => {
    setBusy(true);
    const got = await sendRequest(request);
    setAnswer(got);
    setPast((before) => remember(before, { ...got.sent }));
    setBusy(false);
    if (request.operation.method !== "GET") await client.invalidateQueries();
  };
  const open = (sent: Sent) => {
    const operation = operations.find(({ id }) => id === sent.operation);
    if (operation) setRequest({ operation, values: sent.values, body: sent.body });
  };
  return (
    <div className={styles.bench}>
      <div className={styles.left}>
        <Section title="Request" note={request.operation.summary}>
          <Choose
            operations={operations}
            chosen={request.operation}
            choose={(operation) => {
              setRequest(fresh(operation));
              setAnswer(undefined);
            }}
          />
          <Parameters request={request} change={(values) => setRequest({ ...request, values })} />
          {request.operation.body && (
            <div className={styles.body}>
              <Suspense fallback={<Loading what="the editor" lines={5} />}>
                <JsonEditor
                  key={request.operation.id}
                  label="Body"
                  value={request.body}
                  change={(body) => setRequest((before) => ({ ...before, body }))}
                />
              </Suspense>
            </div>
          )}
          <Send request={request} busy={busy} send={() => void send()} />
        </Section>
        <Section title="The same elsewhere">
          <Elsewhere request={request} />
        </Section>
      </div>
      <div className={styles.right}>
        <Section title="Answer" note={answer && `${outcome(answer.sent)} in ${Math.round(answer.sent.took)} ms`}>
          {answer ? (
            <Answer of={answer} />
          ) : (
            <Empty title="Nothing was sent yet. Fill in what the request takes and send it: its answer appears here." />
          )}
        </Section>
        <Section title="Sent" note="kept as long as this tab">
          <Past past={past} open={open} clear={() => setPast(forget())} />
        </Section>
      </div>
    </div>
  );
}

function fresh(operation: Operation | undefined): Request {
  if (!operation) throw new Error("there is no operation");
  return { operation, values: {}, body: exampleBody(operation.body) };
}

async function sendRequest(request: Request): Promise<Answered> {
  const { operation, values, body } = request;
  const began = performance.now();
  const sent = {
    at: Date.now(),
    operation: operation.id,
    values,
    body,
    method: operation.method,
    address: addressOf(request),
  };
  const took = () => performance.now() - began;
  try {
    const text = await askText(sent.address, {
      method: operation.method,
      body: operation.body ? body || "{}" : undefined,
    });
    return { text, sent: { ...sent, took: took() } };
  } catch (error) {
    return { error, sent: { ...sent, refused: error instanceof Problem ? error.status : 0, took: took() } };
  }
}

function keyOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function Choose({
  operations,
  chosen,
  choose,
}: {
  operations: readonly Operation[];
  chosen: Operation;
  choose: (operation: Operation) => void;
}) {
  const groups = [...new Set(operations.map(({ group }) => group))];
  return (
    <p className={styles.choose}>
      <label htmlFor="operation">Operation</label>
      <select
        id="operation"
        className={styles.operation}
        value={keyOf(chosen)}
        onChange={(event) => {
          const next = operations.find((each) => keyOf(each) === event.target.value);
          if (next) choose(next);
        }}
      >
        {groups.map((group) => (
          <optgroup key={group} label={group}>
            {operations
              .filter((each) => each.group === group)
              .map((each) => (
                <option key={keyOf(each)} value={keyOf(each)}>
                  {keyOf(each)}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </p>
  );
}

function Send({ request, busy, send }: { request: Request; busy: boolean; send: () => void }) {
  const lacking = missing(request);
  return (
    <p className={styles.send}>
      <button className={styles.main} disabled={busy || lacking.length > 0} onClick={send}>
        {busy ? "Waiting" : "Send"}
      </button>
      <code className={styles.address}>
        {request.operation.method} {addressOf(request)}
      </code>
      {lacking.length > 0 && <span className="quiet small">{lacking.join(", ")} is still empty</span>}
    </p>
  );
}

function Elsewhere({ request }: { request: Request }) {
  const line = lineFor(request);
  const call = mcpOf(request);
  const base = at("/").replace(/\/$/, "");
  return (
    <dl className={styles.elsewhere}>
      <dt>tq</dt>
      <dd>{line ? <Command line={line} /> : <span className="quiet">The command line has no twin of this.</span>}</dd>
      <dt>curl</dt>
      <dd>
        <Command line={curlOf(request, base)} />
      </dd>
      <dt>MCP</dt>
      <dd>
        {call ? (
          <div className={styles.call}>
            <code>{call}</code>
            <Copy text={call} label="Copy: the MCP call" />
          </div>
        ) : (
          <span className="quiet">Agents have no tool for this.</span>
        )}
      </dd>
    </dl>
  );
}
