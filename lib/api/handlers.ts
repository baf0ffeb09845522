import { type Handlers, Reply } from '../http/route.ts'
import type { apiRoutes } from './contract.ts'

/** `describe` makes the description; it is called at the first request, and once. */
export const apiHandlers = ({
  describe,
}: {
  describe: () => Promise<object>
}): Handlers<typeof apiRoutes> => {
  let text: string | undefined
  return {
    openApi: async () => {
      text ??= JSON.stringify(await describe())
      return new Reply({ raw: text })
    },
  }
}
