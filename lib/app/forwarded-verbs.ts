type Verb = (...args: readonly unknown[]) => unknown

/** The verbs that `like` has, of something that each call asks for: the first call may open it, a later one replace it. */
export const forwardedVerbs = <Verbs extends object>(
  like: Readonly<Record<keyof Verbs, unknown>>,
  opened: () => Promise<Verbs>,
): Verbs => {
  const call = async (name: string, args: readonly unknown[]) =>
    ((await opened()) as Readonly<Record<string, Verb>>)[name]?.(...args)
  const verbs = Object.keys(like).map((name): [string, Verb] => [name, (...args) => call(name, args)])
  // Each verb stands for the one of its name.
  return Object.fromEntries(verbs) as Verbs
}
