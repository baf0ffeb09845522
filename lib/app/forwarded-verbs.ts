type Verb = (...args: readonly unknown[]) => unknown

/** The verbs that `like` has, of something that each call asks for: the first call may open it, a later one replace it. */
export const forwardedVerbs = <Verbs extends object>(
  like: Readonly<Record<keyof Verbs, unknown>>,
  opened: () => Promise<Verbs>,
): Verbs => {
  const call = async (name: keyof Verbs, args: readonly unknown[]) =>
    ((await opened())[name] as Verb)(...args)
  const names = Object.keys(like) as (keyof Verbs & string)[]
  const verbs = names.map((name): [string, Verb] => [name, (...args) => call(name, args)])
  // Each verb stands for the one of its name.
  return Object.fromEntries(verbs) as Verbs
}
