// The way to every page, with what each one counts.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { stats } from "../api/queries";
import { at } from "../api/place";
import { number } from "../format/number";
import { pages } from "./pages";
import styles from "./rail.module.css";

export function Rail() {
  const { data } = useQuery(stats());
  return (
    <nav className={styles.rail} aria-label="Main">
      <p className={styles.brand}>
        tq <small>{location.host}</small>
      </p>
      {pages.map((page) => (
        <Link
          key={page.to}
          to={page.to}
          activeOptions={{ exact: page.to === "/", includeSearch: false }}
          className={styles.link}
        >
          {page.name}
          {page.count && data && <span className={styles.count}>{number(page.count(data))}</span>}
        </Link>
      ))}
      <hr className={styles.line} />
      <a className={styles.link} href={at("/docs")}>
        API docs
      </a>
    </nav>
  );
}
