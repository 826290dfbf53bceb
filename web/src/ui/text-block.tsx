// Text that a task brought along: shown as text and nothing else, never more
// of it at once than a page can bear.
import { memo, useMemo, useState } from "react";
import { bytes } from "../format/number";
import { layout } from "../json/raw";
import { Copy } from "./copy";
import styles from "./text-block.module.css";

const firstLook = 16_384;

function useCut(text: string) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > firstLook;
  return { shown: cut ? text.slice(0, firstLook) : text, cut, showAll: () => setWhole(true) };
}

export function TextBlock({ title, text }: { title: string; text: string }) {
  const { shown, cut, showAll } = useCut(text);
  return (
    <Block title={title} text={text} cut={cut} showAll={showAll}>
      {visible(shown)}
    </Block>
  );
}

/** JSON laid out for reading; copied as the bytes that it is. */
export function JsonBlock({ title, text }: { title: string; text: string }) {
  const { shown, cut, showAll } = useCut(text);
  return (
    <Block title={title} text={text} cut={cut} showAll={showAll}>
      <Tokens text={shown} />
    </Block>
  );
}

const Tokens = memo(function Tokens({ text }: { text: string }) {
  const tokens = useMemo(() => layout(text), [text]);
  return tokens.map((token, i) => (
    // oxlint-disable-next-line react/no-array-index-key -- the text never changes in place
    <span key={i} className={styles[token.kind]}>
      {visible(token.text)}
    </span>
  ));
});

interface BlockProps {
  title: string;
  text: string;
  cut: boolean;
  showAll: () => void;
  children: React.ReactNode;
}

function Block({ title, text, cut, showAll, children }: BlockProps) {
  const size = useMemo(() => new TextEncoder().encode(text).length, [text]);
  return (
    <section className={styles.block} aria-label={title}>
      <header className={styles.head}>
        <h3>{title}</h3>
        <span className="quiet small">{bytes(size)}</span>
        <Copy text={text} label={`Copy: ${title}`} />
      </header>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by key */}
      <pre className={styles.text} tabIndex={0}>
        {children}
      </pre>
      {cut && <button onClick={showAll}>Show all {bytes(size)}</button>}
    </section>
  );
}

/** Control and direction characters as what they are called, so that nothing reads other than it is. */
export function visible(text: string): string {
  return text.replace(
    // oxlint-disable-next-line no-control-regex -- these are the ones to show
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
