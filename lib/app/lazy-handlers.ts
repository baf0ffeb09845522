import type { Call, Handlers, Routes } from '../http/route.ts'

type AnyHandler = (input: unknown, call: Call) => unknown

/**
 * Handlers that are made when one of them is first asked; if that fails, the next one that is asked tries again. They
 * admit every caller that the guard lets in: what a handler has to say before its input is read would come too late.
 */
export const lazyHandlers = <R extends Routes>(routes: R, make: () => Promise<Handlers<R>>): Handlers<R> => {
  let making: Promise<Handlers<R>> | undefined
  const made = () => {
    making ??= make().catch((thrown) => {
      making = undefined
      throw thrown
    })
    return making
  }
  const names = Object.keys(routes)
  const handlers = names.map((name): [string, AnyHandler] => [
    name,
    async (input, call) => ((await made())[name] as unknown as AnyHandler)(input, call),
  ])
  // Each stands for the one of its name, so they fit the same routes.
  return Object.fromEntries(handlers) as unknown as Handlers<R>
}
