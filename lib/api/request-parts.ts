import { routes } from './routes.ts'

const parts = Object.entries(routes).map(([name, { method, path, ...rest }]) => [
  name,
  {
    method,
    path,
    ...('body' in rest ? { body: true } : {}),
    ...('rawBody' in rest ? { rawBody: true } : {}),
  },
])

/**
 * The request parts of each route as plain data: bundles for browsers and other programs contain nothing else of the
 * service. The type is that of the routes, which the client only uses as a type.
 */
export const requestParts = Object.fromEntries(parts) as typeof routes
