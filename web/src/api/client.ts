// One way to ask the hub. Answers are typed by the served OpenAPI document,
// refusals are Problems, a missing sign-in leads to its page.
import { heard } from "./clock";
import { at } from "./place";
import { Problem, unreachable } from "./problem";

let strangers: () => void = () => undefined;

/** Names what happens when the hub does not know who asks. */
export function onStranger(lead: () => void): void {
  strangers = lead;
}

export type Query = Record<string, string | number | boolean | undefined>;

export interface Ask {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Asks and returns the answer as the text it is. */
export async function askText(path: string, how: Ask = {}): Promise<string> {
  const response = await send(path, how);
  heard(response.headers.get("Date"));
  const text = await response.text();
  if (response.status === 401) strangers();
  if (!response.ok) throw new Problem(response.status, problemBody(text));
  return text;
}

/** Asks and returns the parsed answer. */
export async function ask<T>(path: string, how: Ask = {}): Promise<T> {
  return JSON.parse((await askText(path, how)) || "null") as T;
}

async function send(path: string, { method = "GET", query, body, headers, signal }: Ask): Promise<Response> {
  try {
    return await fetch(at(path) + search(query), {
      method,
      headers: {
        Accept: "application/json",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      credentials: "same-origin",
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
}

function search(query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

function problemBody(text: string): { detail?: string } {
  try {
    return JSON.parse(text) as { detail?: string };
  } catch {
    return {};
  }
}
