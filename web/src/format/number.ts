// Numbers and counts in sentences.

const grouped = new Intl.NumberFormat("en", { useGrouping: true });
const words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** 12,418 */
export function number(n: number): string {
  return grouped.format(n);
}

/** Small numbers as words, for the middle of a sentence. */
export function spelled(n: number): string {
  return words[n] ?? number(n);
}

/** 1 task · 31 tasks */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${number(n)} ${n === 1 ? noun : plural}`;
}

/** one, two and three */
export function list(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** Capital first letter. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** 512 B · 1.5 KiB · 128 KiB */
export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  const kib = n / 1024;
  return kib < 10 ? `${kib.toFixed(1)} KiB` : `${Math.round(kib)} KiB`;
}
