// An editor for JSON with its mistakes underlined. It comes with the first page
// that needs it, and stands in a shadow root: there CodeMirror uses adopted
// stylesheets, which the policy allows.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { linter, lintKeymap } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import styles from "./json-editor.module.css";
import { useLatest } from "./latest";

export interface JsonEditorProps {
  label: string;
  value: string;
  change: (text: string) => void;
  plain?: boolean; // any text will do, such as a command line
}

const look = EditorView.theme({
  "&": { backgroundColor: "var(--paper)", color: "var(--ink)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "2px" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--ink)", padding: "8px 0", minHeight: "120px" },
  ".cm-scroller": { maxHeight: "50vh", lineHeight: "1.5" },
  ".cm-gutter": { minHeight: "136px" },
  ".cm-gutters": { backgroundColor: "var(--paper-2)", color: "var(--ink-2)", border: "0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--paper-3) !important" },
  ".cm-tooltip": { background: "var(--paper)", color: "var(--ink)", border: "1px solid var(--rule-2)" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--st-dead)" },
});

// Typed over a selection, Chromium would copy the styles of what it replaces into
// style attributes, which the policy refuses: the editor does it itself.
const replacing = EditorView.domEventHandlers({
  beforeinput(event, editor) {
    const over = event.inputType === "insertText" && !event.isComposing && !editor.state.selection.main.empty;
    if (!over || event.data === null) return false;
    event.preventDefault();
    editor.dispatch(editor.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, fontWeight: "600" },
  { tag: [tags.bool, tags.null], fontStyle: "italic" },
  { tag: tags.punctuation, color: "var(--ink-2)" },
]);

export default function JsonEditor({ label, value, change, plain = false }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const checks = useRef(new Compartment());
  const latest = useLatest({ value, change, plain });
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const parent = document.createElement("div");
    root.replaceChildren(parent);
    const told = EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.change(update.state.doc.toString());
    });
    view.current = new EditorView({
      parent,
      root,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          lineNumbers(),
          history(),
          indentOnInput(),
          bracketMatching(),
          syntaxHighlighting(colours),
          look,
          EditorView.lineWrapping,
          replacing,
          EditorView.contentAttributes.of({ "aria-label": label }),
          // Tab leaves the editor, as everywhere on a page.
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          checks.current.of(latest.current.plain ? [] : checked()),
          told,
        ],
      }),
    });
    return () => view.current?.destroy();
  }, [label, latest]);
  useEffect(() => {
    view.current?.dispatch({ effects: checks.current.reconfigure(plain ? [] : checked()) });
  }, [plain]);
  useEffect(() => {
    const now = view.current?.state.doc.toString();
    if (now !== undefined && now !== value) {
      view.current?.dispatch({ changes: { from: 0, to: now.length, insert: value } });
    }
  }, [value]);
  return <div ref={host} className={styles.editor} />;
}

function nothing(editor: EditorView): boolean {
  return editor.state.doc.toString().trim() === "";
}

function checked() {
  const find = jsonParseLinter();
  return [json(), linter((editor) => (nothing(editor) ? [] : find(editor)))];
}
