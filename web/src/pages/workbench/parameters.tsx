// A field for each parameter of an operation, with what the document says of it.
import type { Request } from "./request";
import styles from "./workbench.module.css";

export function Parameters({ request, change }: { request: Request; change: (values: Request["values"]) => void }) {
  const { operation, values } = request;
  if (operation.parameters.length === 0) return null;
  return (
    <div className={styles.parameters}>
      {operation.parameters.map(({ name, in: where, description, schema }) => (
        <div key={name} className={styles.parameter}>
          <label htmlFor={`parameter-${name}`}>
            <code>{name}</code> {where === "path" && <span className="quiet small">required</span>}
          </label>
          <input
            id={`parameter-${name}`}
            value={values[name] ?? ""}
            onChange={(event) => change({ ...values, [name]: event.target.value })}
            aria-describedby={`parameter-${name}-help`}
            placeholder={schema?.type === "boolean" ? "true" : undefined}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
          />
          <p id={`parameter-${name}-help`} className={styles.help}>
            {description ?? schema?.description}
          </p>
        </div>
      ))}
    </div>
  );
}
