import * as z from 'zod'
import { defineRoutes, type Handlers, Reply } from '../http/route.ts'

export const apiRoutes = defineRoutes({
  openApi: {
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'Get the OpenAPI document',
    access: 'public',
    response: z.record(z.string(), z.unknown()),
  },
})

/** `describe` makes the description; it is called once, at the first request. */
export const apiHandlers = (needs: { describe: () => Promise<object> }): Handlers<typeof apiRoutes> => {
  let text: string | undefined
  return {
    openApi: async () => {
      text ??= JSON.stringify(await needs.describe())
      return new Reply({ raw: text })
    },
  }
}
