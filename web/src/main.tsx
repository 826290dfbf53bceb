import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/fonts.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { onStranger } from "./api/client";
import { listenToKeys } from "./app/commands";
import { makeRouter } from "./app/router";
import { keepFresh } from "./live/stale";
import { start } from "./live/store";

// Live facts say when an answer is stale; nothing is asked again on a beat.
const client = new QueryClient({
  defaultOptions: { queries: { staleTime: 30_000, refetchOnWindowFocus: false, retry: 1 } },
});

const router = makeRouter();
onStranger(() => {
  const { pathname, href } = router.state.location;
  if (pathname !== "/signin") void router.navigate({ to: "/signin", search: { back: href } });
});
start();
keepFresh(client);
listenToKeys();

const place = document.getElementById("root");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
