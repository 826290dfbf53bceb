// A refusal, as every door of tq words it.

export interface FieldProblem {
  detail: string;
  pointer?: string;
  reason?: string;
}

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly errors: FieldProblem[];

  constructor(status: number, body: { detail?: string; code?: string; hint?: string; errors?: FieldProblem[] }) {
    super(body.detail ?? `the hub answered ${status}`);
    this.status = status;
    this.code = body.code ?? "internal";
    this.hint = body.hint;
    this.errors = body.errors ?? [];
  }
}

/** No answer at all: the hub or the way to it is down. */
export function unreachable(): Problem {
  return new Problem(0, {
    code: "unavailable",
    detail: "the hub does not answer",
    hint: "is tq serve running? this page goes on by itself as soon as it is back",
  });
}

/** Any error as a sentence with its hint. */
export function describe(error: unknown): { title: string; hint?: string } {
  if (error instanceof Problem) return { title: error.message, hint: error.hint };
  return { title: error instanceof Error ? error.message : String(error) };
}
