// A proxy in front of a hub: serves it below a path, and counts its streams.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Proxy {
  url: string; // with the prefix
  streams: () => number; // that are open now
  end: () => void;
}

/** Takes the prefix away and passes all else on. */
export async function startProxy(target: string, prefix = ""): Promise<Proxy> {
  let streams = 0;
  const server = createServer((asked, answer) => {
    const path = asked.url ?? "/";
    if (!path.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const { method, headers } = asked;
    const passed = request(target + path.slice(prefix.length), { method, headers }, (got) => {
      if (got.headers["content-type"] === "text/event-stream") {
        streams++;
        got.on("close", () => streams--);
      }
      answer.writeHead(got.statusCode ?? 502, got.headers);
      answer.flushHeaders();
      got.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    streams: () => streams,
    end: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
