// Stepped lines over time, with the same numbers as a table for those who
// cannot see them. uPlot comes with the first chart only.
import { useEffect, useMemo, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { hubNow } from "../api/clock";
import { clock } from "../format/time";
import { usePrefs } from "../prefs";
import type { Label } from "../status/status";
import styles from "./chart.module.css";

export interface Line {
  name: string;
  status: Label; // whose colour
  values: readonly (number | null)[];
  dashed?: boolean;
}

export interface ChartProps {
  title: string;
  at: readonly number[]; // seconds since 1970
  lines: readonly Line[];
  format: (value: number) => string;
}

const height = 176;

export function Chart({ title, at, lines, format }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const { theme, utc } = usePrefs();
  const shape = lines.map((line) => line.name).join();
  useEffect(() => {
    const host = place.current;
    if (!host) return;
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(host.clientWidth, lines, format, utc), table(at, lines), host);
    };
    make();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", make);
    const size = new ResizeObserver(() => plot.current?.setSize({ width: host.clientWidth, height }));
    size.observe(host);
    return () => {
      dark.removeEventListener("change", make);
      size.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- new numbers go in below without drawing all anew
  }, [shape, theme, utc]);
  useEffect(() => plot.current?.setData(table(at, lines)), [at, lines]);
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>
        {title}
        {lines.map((line) => (
          <Newest key={line.name} line={line} format={format} />
        ))}
      </figcaption>
      <div ref={place} className={styles.plot} aria-hidden="true" />
      <AsTable at={at} lines={lines} format={format} title={title} />
    </figure>
  );
}

function Newest({ line, format }: { line: Line; format: (value: number) => string }) {
  const value = line.values.findLast((each) => each !== null);
  return (
    <span className={styles.newest} data-status={line.status} data-dashed={line.dashed}>
      {line.name} <b>{typeof value === "number" ? format(value) : "–"}</b>
    </span>
  );
}

function AsTable({ at, lines, format, title }: ChartProps) {
  const rows = useMemo(() => at.map((_, i) => i).filter((i) => lines.some((line) => line.values[i])), [at, lines]);
  return (
    <details className={styles.table}>
      <summary>Show as table</summary>
      {rows.length === 0 && <p className="quiet">All zero.</p>}
      <table>
        <caption className="unseen">{title}</caption>
        <thead>
          <tr>
            <th scope="col">from</th>
            {lines.map((line) => (
              <th key={line.name} scope="col">
                {line.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((i) => (
            <tr key={at[i]}>
              <th scope="row">{clock((at[i] ?? 0) * 1000, hubNow())}</th>
              {lines.map((line) => (
                <td key={line.name}>{format(line.values[i] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function table(at: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [[...at], ...lines.map((line) => [...line.values])] as uPlot.AlignedData;
}

function options(
  width: number,
  lines: readonly Line[],
  format: (value: number) => string,
  utc: boolean,
): uPlot.Options {
  const font = '12px "Atkinson Hyperlegible Next Variable", system-ui, sans-serif';
  const [ink, rule] = [colour("--ink-2"), colour("--rule")];
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    tzDate: (at) => (utc ? uPlot.tzDate(new Date(at * 1000), "UTC") : new Date(at * 1000)),
    scales: { y: { range: (_, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      {
        stroke: ink,
        font,
        grid: { show: false },
        ticks: { stroke: rule, size: 4 },
        values: (_, at) => at.map((each) => tick(each, at, utc)),
        space: 60,
      },
      {
        stroke: ink,
        font,
        grid: { stroke: rule, width: 1 },
        ticks: { show: false },
        size: 52,
        values: (_, values) => values.map(format),
      },
    ],
    series: [{}, ...lines.map(lineOptions)],
  };
}

/** The time of day, or the day where there are days between. */
function tick(at: number, all: readonly number[], utc: boolean): string {
  const apart = (all[1] ?? 0) - (all[0] ?? 0);
  if (apart < 43_200) return clock(at * 1000, at * 1000, utc).slice(0, 5);
  return clock(at * 1000, 0, utc).slice(5, 10);
}

function lineOptions({ status, dashed }: Line): uPlot.Series {
  return {
    stroke: colour(`--st-${status}`),
    width: 1.5,
    dash: dashed ? [4, 3] : undefined,
    paths: uPlot.paths.stepped?.({ align: 1 }),
    points: { size: 4, filter: alone },
  };
}

/** A value between two gaps has no line to be seen by: it gets a point. */
function alone(plot: uPlot, line: number): number[] {
  const values = plot.data[line] ?? [];
  const there = (i: number) => values[i] !== null && values[i] !== undefined;
  return [...values.keys()].filter((i) => there(i) && !there(i - 1) && !there(i + 1));
}

/** What a token is in the theme that holds now; a canvas knows no light-dark(). */
function colour(token: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
