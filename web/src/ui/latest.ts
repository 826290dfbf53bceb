import { type RefObject, useLayoutEffect, useRef } from "react";

/** A box with the newest value, for handlers that are registered once. */
export function useLatest<T>(value: T): RefObject<T> {
  const box = useRef(value);
  useLayoutEffect(() => {
    box.current = value;
  });
  return box;
}
