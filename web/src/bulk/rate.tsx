import styles from "./rate.module.css";

/** How many tasks a second an operation lets go; 0 is as fast as it goes. */
export function Rate({ label, value, change }: { label: string; value: number; change: (rate: number) => void }) {
  return (
    <label className={styles.label}>
      <span>{label}</span>
      <select className={styles.rate} value={value} onChange={(event) => change(Number(event.target.value))}>
        {[1, 5, 20, 100].map((rate) => (
          <option key={rate} value={rate}>
            {rate} a second
          </option>
        ))}
        <option value={0}>full speed</option>
      </select>
    </label>
  );
}
