// The operations of the hub, read out of the document that it serves.

export interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  enum?: unknown[];
  examples?: unknown[];
  minimum?: number;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Said {
  operationId?: string;
  summary?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
}

export interface Document {
  paths: Record<string, Record<string, Said>>;
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface Operation {
  id: string;
  method: Method;
  path: string;
  summary: string;
  group: string;
  parameters: Parameter[];
  body?: Schema;
}

const methods: readonly string[] = ["GET", "POST", "PATCH", "DELETE"];

/** All operations but the aliases that only users of other queues need. */
export function operationsOf(document: Document): Operation[] {
  const out: Operation[] = [];
  for (const [path, each] of Object.entries(document.paths)) {
    for (const [method, said] of Object.entries(each)) {
      const name = method.toUpperCase();
      if (!methods.includes(name) || !said.operationId || path.startsWith("/v1/jobs")) continue;
      out.push({
        id: said.operationId,
        method: name as Method,
        path,
        summary: said.summary ?? "",
        group: said.tags?.[0] ?? "other",
        parameters: said.parameters ?? [],
        body: said.requestBody?.content?.["application/json"]?.schema,
      });
    }
  }
  return out;
}

/** A body to begin with: what is required, filled with an example where there is one. */
export function exampleBody(schema: Schema | undefined): string {
  if (!schema) return "";
  const names = schema.required ?? Object.keys(schema.properties ?? {}).slice(0, 1);
  const fields = names.map((name) => [name, exampleOf(schema.properties?.[name])]);
  return JSON.stringify(Object.fromEntries(fields), undefined, 2);
}

function exampleOf(schema: Schema | undefined): unknown {
  if (!schema) return {};
  if (schema.examples?.length) return schema.examples[0];
  if (schema.enum?.length) return schema.enum[0];
  const kind = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
  if (kind === "object") return JSON.parse(exampleBody({ ...schema, required: schema.required ?? [] })) as unknown;
  if (kind === "array") return [exampleOf(schema.items)];
  if (kind === "integer" || kind === "number") return schema.minimum ?? 1;
  if (kind === "boolean") return true;
  return kind === "string" ? "" : {};
}
