// Journeys run one after the other: one browser, one hub, two cores.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.journey.ts"],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ["default"],
  },
});
