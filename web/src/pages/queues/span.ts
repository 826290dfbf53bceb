// How far back a chart goes, and in which steps, so that what is known fills it.

const steps = 60;
const sizes = [10, 30, 60, 300, 900, 3600]; // seconds a step

export interface Span {
  step: number;
  steps: number;
  words: string;
}

/** The shortest span that holds everything since the oldest fact (both in ms). */
export function spanOf(oldest: number | undefined, now: number): Span {
  const needed = oldest === undefined ? 0 : (now - oldest) / 1000;
  const step = sizes.find((size) => size * steps >= needed) ?? 3600;
  return { step, steps, words: wordsFor(step * steps) };
}

function wordsFor(seconds: number): string {
  if (seconds < 3600) return `the last ${seconds / 60} minutes`;
  if (seconds === 3600) return "the last hour";
  return `the last ${Math.round(seconds / 3600)} hours`;
}
