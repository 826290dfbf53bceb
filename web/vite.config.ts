// How the dashboard is built. The output is committed and must be the same
// bytes for the same source, wherever it is built.
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const hub = process.env["TQ_HUB"] ?? "http://127.0.0.1:8080";
const served = ["/v1", "/openapi.json", "/openapi.yaml", "/docs", "/swagger", "/healthz", "/login", "/session"];

/** Chunks may load in any order, layers may not: each stylesheet begins by saying theirs. */
const layersFirst: Plugin = {
  name: "layers-first",
  generateBundle(_, bundle) {
    for (const asset of Object.values(bundle)) {
      if (asset.type !== "asset" || !asset.fileName.endsWith(".css")) continue;
      asset.source = `@layer tokens,base,parts;${String(asset.source)}`;
    }
  },
};

/** The faces of the first page load beside its scripts, not after them. */
const preloadFonts: Plugin = {
  name: "preload-fonts",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((name) => /-latin-wght-normal.*\.woff2$/.test(name))
        .map((name) => ({
          tag: "link",
          attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `./${name}` },
          injectTo: "head",
        })),
  },
};

export default defineConfig({
  base: "./",
  plugins: [react(), layersFirst, preloadFonts],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        codeSplitting: { groups: [{ name: "react", test: /node_modules\/(react|react-dom|scheduler)\// }] },
      },
    },
  },
  worker: { format: "es" },
  server: { proxy: Object.fromEntries(served.map((path) => [path, { target: hub }])) },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
