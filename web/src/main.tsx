import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/fonts.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { listenToKeys } from "./app/commands";
import { makeRouter } from "./app/router";
import { keepFresh } from "./live/stale";
import { start } from "./live/store";

// Live facts say when an answer is stale; nothing is asked again on a beat.
const client = new QueryClient({
  defaultOptions: { queries: { staleTime: 30_000, refetchOnWindowFocus: false, retry: 1 } },
});

start();
keepFresh(client);
listenToKeys();

const place = document.getElementById("root");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={makeRouter()} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
