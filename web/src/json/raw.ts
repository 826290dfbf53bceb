// JSON as text. Payloads are shown byte for byte: parsing would round large
// numbers and drop repeated keys, so nothing here ever makes a number of one.

/** The exact text of a member of the object that text holds, or undefined. */
export function member(text: string, name: string): string | undefined {
  let at = space(text, 0);
  if (text[at] !== "{") return undefined;
  at = space(text, at + 1);
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at);
    const valueStart = space(text, space(text, keyEnd) + 1);
    const valueEnd = end(text, valueStart);
    if (JSON.parse(text.slice(at, keyEnd)) === name) return text.slice(valueStart, valueEnd);
    at = space(text, valueEnd);
    if (text[at] === ",") at = space(text, at + 1);
  }
  return undefined;
}

/** The exact texts of the elements of the array that text holds. */
export function elements(text: string): string[] {
  const out: string[] = [];
  let at = space(text, 0);
  if (text[at] !== "[") return out;
  at = space(text, at + 1);
  while (at < text.length && text[at] !== "]") {
    const stop = end(text, at);
    out.push(text.slice(at, stop));
    at = space(text, stop);
    if (text[at] === ",") at = space(text, at + 1);
  }
  return out;
}

export type TokenKind = "key" | "string" | "number" | "word" | "mark" | "space";

export interface Token {
  kind: TokenKind;
  text: string;
}

/** Text laid out again, two spaces a level, every literal left as it was. */
export function layout(text: string): Token[] {
  const out: Token[] = [];
  let depth = 0;
  let at = space(text, 0);
  while (at < text.length) {
    const stop = tokenEnd(text, at);
    const piece = text.slice(at, stop);
    at = space(text, stop);
    const next = text[at];
    if (opens(piece)) depth++;
    out.push(piece === ":" ? { kind: "mark", text: ": " } : { kind: kindOf(piece, next === ":"), text: piece });
    if (breaksAfter(piece, next)) {
      if (closes(next)) depth--;
      out.push({ kind: "space", text: `\n${"  ".repeat(Math.max(0, depth))}` });
    } else if (opens(piece)) {
      depth--;
    }
  }
  return out;
}

function opens(piece: string | undefined): boolean {
  return piece === "{" || piece === "[";
}

function closes(piece: string | undefined): boolean {
  return piece === "}" || piece === "]";
}

/** A line ends after a comma, after an opening mark and before a closing one; an empty pair stays whole. */
function breaksAfter(piece: string, next: string | undefined): boolean {
  if (opens(piece)) return !closes(next);
  return piece === "," || closes(next);
}

function kindOf(piece: string, isKey: boolean): TokenKind {
  if (piece.startsWith('"')) return isKey ? "key" : "string";
  if (/^[-0-9]/.test(piece)) return "number";
  return /^[a-z]/.test(piece) ? "word" : "mark";
}

function tokenEnd(text: string, at: number): number {
  if (text[at] === '"') return stringEnd(text, at);
  if ("{}[],:".includes(text[at] ?? "")) return at + 1;
  return literalEnd(text, at);
}

function end(text: string, at: number): number {
  if (text[at] === '"') return stringEnd(text, at);
  if (text[at] !== "{" && text[at] !== "[") return literalEnd(text, at);
  let depth = 0;
  while (at < text.length) {
    const c = text[at];
    if (c === '"') {
      at = stringEnd(text, at);
      continue;
    }
    if (c === "{" || c === "[") depth++;
    if (c === "}" || c === "]") depth--;
    at++;
    if (depth === 0) return at;
  }
  return at;
}

function stringEnd(text: string, at: number): number {
  for (at++; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return at;
}

function literalEnd(text: string, at: number): number {
  const start = at;
  while (at < text.length && !",]}: \t\r\n".includes(text[at] ?? "")) at++;
  return Math.max(at, start + 1);
}

function space(text: string, at: number): number {
  while (at < text.length && " \t\r\n".includes(text[at] ?? "")) at++;
  return at;
}
