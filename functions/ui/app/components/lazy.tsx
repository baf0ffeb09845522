import { type ComponentType, createElement, type ReactNode, use } from 'react'
import { isConnected } from '../data/connection.ts'

/** Thrown in place of a component whose code did not come. `again` loads it, and rejects when it does not come then either. */
export class NotLoaded extends Error {
  readonly again: () => Promise<void>
  constructor(cause: unknown, again: () => Promise<void>) {
    super('The code of this part of the page did not come', { cause })
    this.again = again
  }
}

type LazyComponent<Props> = ((props: Props) => ReactNode) & { preload?: () => Promise<void> }

/**
 * A component whose code is loaded when it is first shown, or by `preload`. Unlike React's `lazy` and the router's own
 * it can be loaded again after a failure; a failed `preload` is not kept, since the component is not shown yet.
 */
export const lazyComponent = <Props extends object, Name extends string>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) => {
  let loaded: ComponentType<Props> | undefined
  let loading: Promise<void> | undefined
  let failure: NotLoaded | undefined
  // React has to get the same promise at each try to render.
  let firstLoad: Promise<void> | undefined

  const again = async (): Promise<void> => {
    // Some browsers remember a module that did not come, and never ask for it again: it is not asked for in vain.
    if (!isConnected.get()) throw new Error('The connection is lost')
    loading ??= load()
      .then((module) => {
        loaded = module[name]
        // The router waits for components that have a `preload`.
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
