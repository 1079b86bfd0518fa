/** Columns of rows by their names, each as the array that `unnest` takes. An absent value is null. */
export const columnsOf = <Row extends object>(rows: readonly Row[], ...names: (keyof Row)[]): unknown[][] =>
  names.map((name) => rows.map((row) => row[name] ?? null));
