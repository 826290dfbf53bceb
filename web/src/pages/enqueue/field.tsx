// A named input with a word of help, and what is wrong with it.
import { useId } from "react";
import styles from "./enqueue.module.css";

export interface FieldProps {
  name: string;
  value: string;
  change: (value: string) => void;
  help?: string;
  wrong?: string;
  choices?: readonly string[];
  mono?: boolean;
}

export function Field({ name, value, change, help, wrong, choices, mono }: FieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{name}</label>
      <input
        id={id}
        value={value}
        onChange={(event) => change(event.target.value)}
        aria-describedby={`${id}-help`}
        aria-invalid={wrong !== undefined}
        list={choices ? `${id}-choices` : undefined}
        className={mono ? styles.mono : undefined}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
      />
      {choices && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </datalist>
      )}
      <p id={`${id}-help`} className={wrong ? styles.wrong : styles.help}>
        {wrong ?? help}
      </p>
    </div>
  );
}
