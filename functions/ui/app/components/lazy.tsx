import { type ComponentType, createElement, type ReactNode, use } from 'react'
import { isConnected } from '../data/connection.ts'

/** Thrown when the code of a component failed to load. `again` retries, and rejects if that fails as well. */
export class NotLoaded extends Error {
  readonly again: () => Promise<void>
  constructor(cause: unknown, again: () => Promise<void>) {
    super('This part of the page failed to load. Reload the page.', { cause })
    this.again = again
  }
}

type LazyComponent<Props> = ((props: Props) => ReactNode) & { preload?: () => Promise<void> }

/**
 * A component that is loaded at first render or by `preload`. Unlike React's `lazy` and the router's, it can be loaded again after a
 * failure. A failed `preload` is not remembered.
 */
export const lazyComponent = <Props extends object, Name extends string>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) => {
  let loaded: ComponentType<Props> | undefined
  let loading: Promise<void> | undefined
  let failure: NotLoaded | undefined
  // `use` needs the same promise at each render.
  let firstLoad: Promise<void> | undefined

  const again = async (): Promise<void> => {
    // Some browsers cache a failed module and never request it again, so it is not requested while offline.
    if (!isConnected.get()) throw new Error('The connection is lost')
    loading ??= load()
      .then((module) => {
        loaded = module[name]
        // The router awaits components that have `preload`.
        delete Lazy.preload
      })
      .finally(() => {
        loading = undefined
      })
    await loading
  }

  const show = () => {
    firstLoad ??= again().catch((thrown) => {
      failure = new NotLoaded(thrown, again)
    })
    return firstLoad
  }

  const Lazy: LazyComponent<Props> = (props) => {
    if (!loaded) {
      if (failure) throw failure
      use(show())
    }
    return loaded && createElement(loaded, props)
  }
  Lazy.preload = () => again().catch(() => undefined)
  return Lazy
}
