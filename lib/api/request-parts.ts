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

/** Routes as plain data: bundles contain nothing else of the service, and use the type of the routes only. */
export const requestParts = Object.fromEntries(parts) as typeof routes
