import { expect, test } from "vitest";
import { elements, layout, member } from "./raw";

const big = '{"id":1, "payload" : {"n":9007199254740993,"n":1.0e2,"s":"a\\"}b"} ,"deps":[{"result":[1,2]},{"id":2}]}';

test("a member's text comes out as it went in, all digits and doubled keys kept", () => {
  expect(member(big, "payload")).toBe('{"n":9007199254740993,"n":1.0e2,"s":"a\\"}b"}');
  expect(member(big, "id")).toBe("1");
  expect(member(big, "missing")).toBeUndefined();
  expect(member("[1]", "id")).toBeUndefined();
});

test("an array's elements are its exact texts", () => {
  expect(elements(member(big, "deps") ?? "")).toEqual(['{"result":[1,2]}', '{"id":2}']);
  expect(elements("[]")).toEqual([]);
});

test("layout indents and changes no literal", () => {
  const text = layout('{"a":[1.0e2,{}],"b":{"c":null},"d":[]}')
    .map((token) => token.text)
    .join("");
  expect(text).toBe('{\n  "a": [\n    1.0e2,\n    {}\n  ],\n  "b": {\n    "c": null\n  },\n  "d": []\n}');
});

test("a token knows whether it is a key, a string, a number or a word", () => {
  const kinds = layout('{"a":"x","b":-1,"c":true}').filter((token) => token.kind !== "space" && token.kind !== "mark");
  expect(kinds.map((token) => token.kind)).toEqual(["key", "string", "key", "number", "key", "word"]);
});

test("broken JSON is shown, not thrown", () => {
  expect(
    layout('{"a":tru')
      .map((token) => token.text)
      .join(""),
  ).toContain("tru");
  expect(member('{"a":', "b")).toBeUndefined();
});
