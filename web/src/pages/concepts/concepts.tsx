// What one has to know to trust a queue with work: drawn, and told in few words.
import { at } from "../../api/place";
import { useTitle } from "../../app/title";
import { Acts, Lead } from "../../ui/lead";
import { Section } from "../../ui/section";
import { Fence } from "./fence";
import { Glossary } from "./glossary";
import { House } from "./house";
import { Life } from "./life";

export function Concepts() {
  useTitle("Concepts");
  return (
    <>
      <Lead>A task is put in once, tried until it is done or out of attempts, and every step of it is a fact.</Lead>
      <Acts>
        <a href={at("/docs")}>API docs</a>
        <a href={at("/openapi.json")}>openapi.json</a>
      </Acts>
      <Section title="The life of a task" note="with what happens in this hub now; choose a way to read what it means">
        <Life />
      </Section>
      <Section title="Leases and the fence" note="why a worker that comes back too late can do no harm">
        <Fence />
      </Section>
      <Section title="How it is built">
        <House />
      </Section>
      <Section title="Words" note="and what they were called where you come from">
        <Glossary />
      </Section>
    </>
  );
}
