// The way to every page, with what each one counts.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { overview } from "../api/queries";
import { at } from "../api/place";
import { number } from "../format/number";
import { type Page, pages } from "./pages";
import styles from "./rail.module.css";

export function Rail() {
  const { data } = useQuery(overview);
  return (
    <nav className={styles.rail} aria-label="Main">
      <p className={styles.brand}>
        tq <small>{location.host}</small>
      </p>
      {pages
        .filter(({ tool }) => !tool)
        .map((page) => (
          <Entrance key={page.to} page={page} count={page.count && data && page.count(data)} />
        ))}
      <hr className={styles.line} />
      {pages
        .filter(({ tool }) => tool)
        .map((page) => (
          <Entrance key={page.to} page={page} />
        ))}
      <a className={styles.link} href={at("/docs")}>
        API docs
      </a>
    </nav>
  );
}

function Entrance({ page, count }: { page: Page; count?: number }) {
  return (
    <Link to={page.to} activeOptions={{ exact: page.to === "/", includeSearch: false }} className={styles.link}>
      {page.name}
      {count !== undefined && <span className={styles.count}>{number(count)}</span>}
    </Link>
  );
}
