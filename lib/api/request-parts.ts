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
 * Of each route what its request is made of, as plain data: what is bundled for browsers and other programs has no more of the
 * service. The type says more, which the client reads as types only.
 */
export const requestParts = Object.fromEntries(parts) as typeof routes
