// What has to hold of whatever can be focused, in every theme and in forced
// colours: one sees where the focus is, and that a control is one.
import type { Page } from "playwright-core";

/** What is wrong with the controls of a page, in words; an empty list is what is wanted. */
export async function controls(page: Page): Promise<string[]> {
  await page.keyboard.press("Tab"); // who uses keys gets outlines, whoever moves the focus then
  const wrong = await page.evaluate(inspect);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  return wrong;
}

/* oxlint-disable unicorn/consistent-function-scoping -- it runs in the page, where nothing else of this file is */
async function inspect(): Promise<string[]> {
  const wrong: string[] = [];
  const focusable = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]";

  const within = (root: Document | ShadowRoot): HTMLElement[] =>
    [...root.querySelectorAll<HTMLElement>("*")].flatMap((each) => [
      ...(each.matches(focusable) ? [each] : []),
      ...(each.shadowRoot ? within(each.shadowRoot) : []),
    ]);
  const told = (of: HTMLElement) => of.outerHTML.slice(0, 120);
  const clear = (color: string) => /^(transparent|rgba\(.*, 0\))$/.test(color);
  const parent = (of: Element): Element | null =>
    of.parentElement ?? (of.getRootNode() instanceof ShadowRoot ? (of.getRootNode() as ShadowRoot).host : null);
  const paper = (of: Element | null): string => {
    if (!of) return "rgb(255, 255, 255)";
    const color = getComputedStyle(of).backgroundColor;
    return clear(color) ? paper(parent(of)) : color;
  };

  /** An outline of its own, or of the part that it fills. */
  const outlined = (of: Element | null, steps = 4): boolean => {
    if (!of || steps === 0) return false;
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(of);
    const shows = outlineStyle !== "none" && parseFloat(outlineWidth) >= 1 && !clear(outlineColor);
    if (shows && outlineColor !== paper(parent(of))) return true;
    return of.matches("[contenteditable], [contenteditable] *, .cm-scroller") && outlined(parent(of), steps - 1);
  };
  const edged = (of: HTMLElement): boolean => {
    const { borderTopStyle, borderTopWidth, borderTopColor, borderBottomStyle, borderBottomWidth } =
      getComputedStyle(of);
    const top = borderTopStyle !== "none" && parseFloat(borderTopWidth) > 0 && borderTopColor !== paper(parent(of));
    return top || (borderBottomStyle !== "none" && parseFloat(borderBottomWidth) > 0);
  };
  const labelled = (of: HTMLElement): boolean => {
    const drawn = of.querySelector("svg") !== null;
    return (drawn || of.innerText.trim() !== "") && getComputedStyle(of).color !== paper(of);
  };
  /** An editor in a shadow root has its edge from the part that it fills. */
  const frame = (of: HTMLElement): HTMLElement => {
    const root = of.getRootNode();
    return of.isContentEditable && root instanceof ShadowRoot ? (root.host as HTMLElement) : of;
  };
  const native = (of: HTMLElement) => of.matches("input[type=checkbox], input[type=radio], select");

  for (const each of within(document)) {
    if (!each.checkVisibility({ visibilityProperty: true }) || each.matches(":disabled, [tabindex='-1']")) continue;
    each.focus({ preventScroll: true });
    const root = each.getRootNode() as Document | ShadowRoot;
    if (root.activeElement !== each) continue; // inert, as behind a dialog
    // An editor shows that it has the focus a moment later.
    // oxlint-disable-next-line no-await-in-loop -- the focus is in one place at a time
    if (each.isContentEditable) await new Promise((resolve) => setTimeout(resolve, 100));
    if (!outlined(each)) wrong.push(`no outline while focused: ${told(each)}`);
    const field = each.matches("input, textarea") || each.isContentEditable;
    if (!native(each) && !edged(frame(each)) && (field || !labelled(each)))
      wrong.push(`neither edge nor label: ${told(each)}`);
  }
  return wrong;
}
