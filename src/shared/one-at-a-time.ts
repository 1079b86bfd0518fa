/** Lets calls run one after another, in their order. A failure is its own caller's alone. */
export function oneAtATime<Argument, Result>(
  work: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (argument) => {
    const next = last.then(() => work(argument));
    last = next.catch(() => undefined);
    return next;
  };
}
