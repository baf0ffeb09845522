import type { Place } from '../http/router.ts'
import { routes } from './routes.ts'

/** The method and path of every route. A packaged function has them as data: resources/bundle.js. */
export const places: readonly Place[] = Object.values<Place>(routes).map(({ method, path, writes }) => ({
  method,
  path,
  ...(writes ? { writes } : {}),
}))
