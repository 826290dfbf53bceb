// A hub that nobody has used yet: each page says what to do next, with the line
// that does it where there is one.
import { expect, test } from "vitest";
import { axe, open } from "./browser";
import { stage } from "./stage";

const set = stage();

test.each([
  ["/", "Here you will see what waits, who works on what, and what needs you.", "tq enqueue"],
  ["/tasks", "There is no task yet.", "tq enqueue"],
  ["/tasks/77", "There is no task 77.", "See what there is"],
  ["/queues", "A queue begins with its first task.", "tq enqueue"],
  ["/queues/none", "There is no queue none", "Put the first task into it"],
  ["/fleet", "Workers show themselves here with their first call. Start one:", "tq worker"],
  ["/fleet/none", "This worker is not here any more", "See who is here"],
  ["/dead", "No dead letters. Nothing needs you.", "until you rescue or delete it"],
  ["/dead/abcdef", "Nothing is dead of this any more", "See what else there is"],
  ["/workbench", "Nothing was sent yet.", "send it"],
  ["/nowhere", "There is no page at this address.", "Go to the overview"],
])("%s is empty and says what to do", async (path, says, next) => {
  const { page, trouble } = await open(set.browser, set.hub, path);
  const main = page.getByRole("main");
  await main.getByText(says).first().waitFor();
  await main.getByText(next).first().waitFor();
  expect(await axe(page)).toEqual([]);
  // That the one task is not there is what the browser itself notes of the answer.
  expect(path === "/tasks/77" ? trouble.filter((line) => !line.includes("404")) : trouble).toEqual([]);
  await page.context().close();
});
