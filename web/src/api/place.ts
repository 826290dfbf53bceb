// Where the dashboard is mounted. The server writes the way up to the mount
// into the page, so that any prefix of any proxy works.

function mount(): URL {
  const meta = document.querySelector('meta[name="tq-root"]')?.getAttribute("content") ?? "./";
  return new URL(meta, location.href);
}

const root = mount();

/** The path of the mount without the slash at its end: "" or "/ops/tq". */
export const basePath = root.pathname.replace(/\/$/, "");

/** The address of something the hub serves, such as /v1/stats. */
export function at(path: string): string {
  return new URL(path.replace(/^\//, ""), root.origin + basePath + "/").href;
}
