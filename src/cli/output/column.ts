/** What is shown of a value: null and undefined are shown as `-`, true and false as yes and no. */
export type Cell = string | number | boolean | null | undefined;

export interface Column<Row> {
  title: string;
  value(row: Row): Cell;
  /** Left out where the terminal is too narrow, the last column first. */
  optional?: boolean;
  /** For numbers. */
  right?: boolean;
}
