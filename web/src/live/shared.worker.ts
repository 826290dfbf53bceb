// One stream for all tabs of this browser: a browser grants a site only six
// connections over HTTP/1.1, and a seventh tab would not even load.
import { type News, openStream } from "./stream";

declare const self: EventTarget;

const tabs = new Set<MessagePort>();
let close: (() => void) | undefined;
let newest: News | undefined; // of the connection, for a tab that comes later
let newestOverview: News | undefined;

function tellAll(news: News): void {
  if (news.kind === "open" || news.kind === "down") newest = news;
  if (news.kind === "overview") newestOverview = news;
  for (const tab of tabs) tab.postMessage(news);
}

function join(tab: MessagePort, address: string): void {
  tabs.add(tab);
  if (newest) tab.postMessage(newest);
  if (newestOverview) tab.postMessage(newestOverview);
  close ??= openStream(address, tellAll);
}

function leave(tab: MessagePort): void {
  tabs.delete(tab);
  if (tabs.size > 0) return;
  close?.();
  close = newest = newestOverview = undefined;
}

self.addEventListener("connect", (event) => {
  const tab = (event as MessageEvent).ports[0];
  if (!tab) return;
  tab.addEventListener("message", ({ data }: MessageEvent<string>) => {
    if (data === "leave") leave(tab);
    else join(tab, data);
  });
  tab.start();
});
