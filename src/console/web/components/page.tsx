import { type ReactNode, type Ref, useEffect, useRef } from 'react';
import styles from './page.module.css';

/**
 * A page with its only `h1`, which gets the focus when the page opens, so that screen readers and the keyboard begin
 * there.
 */
export function Page(props: {
  title: ReactNode;
  /** The title as text, where it is not one or is too long for a tab. */
  tabTitle?: string;
  aside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const tabTitle = props.tabTitle ?? String(props.title);
  useEffect(() => {
    document.title = `${tabTitle} · Webhook gateway`;
  }, [tabTitle]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div className={`panels ${styles.page}`}>
      <header className={`spread ${styles.head}`}>
        <div className="line">
          <h1 ref={heading} tabIndex={-1}>
            {props.title}
          </h1>
          {props.aside}
        </div>
        {props.actions && <div className="buttons">{props.actions}</div>}
      </header>
      {props.children}
    </div>
  );
}

/** A titled part of a page on a surface of its own. */
export function Panel({ title, actions, children }: { title?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel">
      {(title || actions) && (
        <div className={`spread ${styles.panelHead}`}>
          {title && <h2>{title}</h2>}
          {actions && <div className="buttons">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/**
 * Names with their values. Values that are null are left out.
 *
 * @param className the grid of the facts; without one, they stand next to each other.
 */
export function Facts({ rows, className = styles.columns, id }: FactsProps) {
  return (
    <dl id={id} className={`${styles.facts} ${className}`}>
      {Object.entries(rows)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface FactsProps {
  rows: Readonly<Record<string, ReactNode>>;
  className?: string | undefined;
  id?: string;
}

/** A column of a table: its heading, and the class of the heading. */
export type Column = string | readonly [heading: ReactNode, className: string | undefined];

/** The headings of a table. */
export function TableHead({ columns }: { columns: readonly Column[] }) {
  const headings = columns.map((column) => (typeof column === 'string' ? ([column, undefined] as const) : column));
  return (
    <thead>
      <tr>
        {headings.map(([heading, className]) => (
          <th key={String(heading)} scope="col" className={className}>
            {heading}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A table that scrolls sideways in a narrow window, also by the keyboard. */
export function ScrollTable(props: {
  label: string;
  columns: readonly Column[];
  ref?: Ref<HTMLTableSectionElement>;
  /** Its rows. */
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section className={styles.scroll} aria-label={props.label} tabIndex={0}>
      <table className={styles.table}>
        <TableHead columns={props.columns} />
        <tbody ref={props.ref}>{props.children}</tbody>
      </table>
    </section>
  );
}
